// What do the steps of steps.json expect of an answer, and how is the outcome told?
//
// `runSteps` takes a connected client as two functions and prints one line a step:
// `STEP <name> ok` or `STEP <name> failed <reason>`. It never stops at a failure, so that
// one defect does not hide the next. steps.py says the same for Python.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const FIVE = ['search_tools', 'describe_tool', 'call_read_tool', 'call_read_tools', 'call_write_tool'];
const MODERN = '2026-07-28';
// Long enough for either to reach the upstream as a rule, and far below the length of the call.
const BEFORE_CANCEL = 500;
const AFTER_CANCEL = 700;
const ASKED = 10;

/** The header of a caller who has a token, which is in the environment where the upstream wants one. */
export function credential() {
  const token = process.env.INTEROP_TOKEN;
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * `open()` connects and returns `{version, instructions, list, call, close}`:
 * `list()` gives the tools, `call(name, arguments, onprogress, signal)` a CallToolResult,
 * or throws an error that has the JSON-RPC error's `code`.
 */
export async function runSteps({ upstream, label, version, open }) {
  const unique = `${label}-${process.pid}`;
  const steps = JSON.parse(readFileSync(new URL('steps.json', import.meta.url), 'utf8'))[upstream];
  let client;
  let failures = 0;
  for (const step of fill(steps, unique)) {
    try {
      if (step.name === 'connect') {
        client = await open();
        checkConnect(client, version);
      } else if (!client) {
        throw new Error('not connected');
      } else if (step.name === 'list') {
        same(names(await client.list()), FIVE, 'tools');
      } else {
        await checkCall(client, step);
      }
      console.log(`STEP ${step.name} ok`);
    } catch (error) {
      failures += 1;
      console.log(`STEP ${step.name} failed ${String(error?.message ?? error).replace(/\s+/g, ' ')}`);
    }
  }
  await client?.close();
  process.exitCode = failures === 0 ? 0 : 1;
}

function fill(steps, unique) {
  return JSON.parse(JSON.stringify(steps).replaceAll('{unique}', unique));
}

function checkConnect(client, version) {
  same(client.version, version, 'negotiated version');
  includes(client.instructions ?? '', 'search_tools', 'instructions');
}

function names(tools) {
  return tools.map((tool) => tool.name);
}

async function checkCall(client, step) {
  if (step.cancel) return checkCancel(client, step);
  const seen = [];
  const onprogress = step.progress ? (progress) => seen.push(progress) : undefined;
  let result;
  try {
    result = await client.call(step.tool, step.arguments, onprogress);
  } catch (error) {
    if (step.code === undefined) throw error;
    same(error.code, step.code, 'error code');
    return;
  }
  if (step.code !== undefined) throw new Error(`an answer instead of error ${step.code}`);
  checkResult(step, result);
  if (step.progress) checkProgress(step.progress, seen);
}

// A call that is given up ends for the client at once, and the next one is answered. Where the
// upstream can tell what became of the call it is asked: without the handshake it was cancelled;
// with it the call runs on, since one request cannot end another.
async function checkCancel(client, step) {
  const asked = step.then.arguments.name.endsWith('ended');
  const giveUp = new AbortController();
  const call = client.call(step.tool, step.arguments, undefined, giveUp.signal).then(
    (result) => { throw new Error(`an answer to a cancelled call: ${JSON.stringify(result).slice(0, 200)}`); },
    (error) => { if (!giveUp.signal.aborted) throw error; },
  );
  await Promise.race([call, sleep(BEFORE_CANCEL)]);
  if (asked) await until(client, step.then, 'waiting');
  giveUp.abort('given up');
  await call;
  await sleep(AFTER_CANCEL);
  if (asked) await until(client, step.then, client.version >= MODERN ? 'cancelled' : 'waiting');
  else checkResult(step, await client.call(step.then.tool, step.then.arguments));
}

// The call may still be on its way, so the question is asked a few times.
async function until(client, question, word) {
  let said;
  for (let left = ASKED; left > 0; left -= 1) {
    said = (await client.call(question.tool, question.arguments)).content[0].text;
    if (said === word) return;
    await sleep(BEFORE_CANCEL);
  }
  throw new Error(`the call is ${said} instead of ${word}`);
}

function checkResult(step, result) {
  const text = result.content.map((block) => block.text ?? '').join('\n');
  same(result.isError === true, step.error === true, `isError of "${text.slice(0, 200)}"`);
  for (const part of step.says ?? []) includes(text, part, 'text');
  for (const part of step.lacks ?? []) {
    if (text.includes(part)) throw new Error(`the text holds "${part}"`);
  }
  if (step.blocks) checkBlocks(step.blocks, result.content);
  if (step.types) same(result.content.map((block) => block.type), step.types, 'block types');
  if (step.text_is_structured) same(JSON.parse(text), result.structuredContent, 'text as JSON');
  if (step.finds) checkFinds(step.finds, result.structuredContent.tools);
  checkPointers(step.structured, result.structuredContent);
  checkPointers(step.content, result.content);
}

function checkBlocks(expected, content) {
  same(content.length, expected.length, 'number of blocks');
  expected.forEach((part, at) => includes(content[at].text ?? '', part, `block ${at}`));
}

function checkFinds(wanted, tools) {
  const hit = tools.find((tool) => tool.name === wanted.name);
  if (!hit) throw new Error(`${wanted.name} not among ${names(tools)}`);
  same(hit.readOnly, wanted.readOnly, 'readOnly');
}

function checkPointers(expected, document) {
  for (const [pointer, value] of Object.entries(expected ?? {})) {
    const found = pointer.split('/').slice(1).reduce((at, key) => at?.[key], document);
    same(found, value, pointer);
  }
}

// An SDK may close the books on a call before it has handled a notification that came in
// one chunk with the answer, so that the last one may be missing.
function checkProgress(total, seen) {
  const counts = seen.map((progress) => progress.progress);
  const rising = Array.from({ length: counts.length }, (_, at) => at + 1);
  if (counts.length < total - 1) throw new Error(`only ${counts.length} of ${total} progress notifications`);
  same(counts, rising, 'progress');
  same(seen.every((progress) => progress.total === total), true, 'every total right');
}

function same(found, expected, what) {
  if (!isDeepStrictEqual(found, expected)) {
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  }
}

function includes(text, part, what) {
  if (!text.includes(part)) throw new Error(`${what}: no "${part}" in "${text.slice(0, 300)}"`);
}
