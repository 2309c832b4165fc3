//! `search_tools`: which tools fit these needs?

use serde::Serialize;

use crate::catalog::{Access, Catalog, Found};
use crate::tools::answer::{Answer, serialize};
use crate::tools::asked::{MOST_HITS, SearchArgs};
use crate::tools::hits::{Hit, Hits, add_schemas, describe, drop_schema, drop_worst};
use crate::tools::limits::Limits;
use crate::tools::tokens::{at_most, clip};
use crate::tools::weak::is_weak;

#[derive(Serialize)]
struct Reply<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a [Hit<'a>]>,
    #[serde(skip_serializing_if = "is_false")]
    weak: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<Results<'a>>>,
    total: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Results<'a> {
    query: String,
    tools: &'a [Hit<'a>],
    #[serde(skip_serializing_if = "is_false")]
    weak: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// What the notes have to say beside what the catalog has.
#[derive(Clone, Copy)]
struct Said {
    /// Hits without a schema, folded ones, left out ones.
    missing: bool,
    folded: bool,
    omitted: bool,
    weak: bool,
    twins: bool,
    /// Hits that did not fit, and those whose names did not.
    dropped: usize,
    nameless: usize,
}

/// Everything there can be to say, for what notes cost.
const ALL: Said = Said {
    missing: true,
    folded: true,
    omitted: true,
    weak: true,
    twins: true,
    dropped: 999,
    nameless: 999,
};

/// Bytes of a query that are said again.
const ECHO: usize = 40;
/// A name may take one part in so many of an answer: it cannot be shortened.
const NAME_SHARE: usize = 8;
/// Other names of one tool that are told.
const MOST_TWINS: usize = 8;

/// Searches the catalog; no I/O.
pub(super) fn run(catalog: &Catalog, args: &SearchArgs, limits: Limits) -> Answer {
    let found: Vec<Vec<Found>> = args
        .queries
        .iter()
        .map(|query| catalog.search(query, args.limit))
        .collect();
    let by_meaning = catalog.searches_by_meaning();
    let weak: Vec<bool> = found
        .iter()
        .map(|found| {
            found
                .first()
                .is_some_and(|best| is_weak(best.score, by_meaning))
        })
        .collect();
    let sentences: Vec<Vec<Vec<String>>> = found
        .iter()
        .map(|found| {
            found
                .iter()
                .map(|it| catalog.own_sentences(&it.entry))
                .collect()
        })
        .collect();
    let most = limits.max_answer_tokens;
    let (mut hits, nameless) = hits(&found, &sentences, most / NAME_SHARE);
    let frame: Hits<'_> = hits.iter().map(|_| Vec::new()).collect();
    let frame = at_most(serialize(&reply(catalog, args, &frame, &weak, ALL)).get());
    let budget = most.saturating_sub(frame);

    // A quarter is kept for schemas, however many hits there are.
    let schemas = if args.schemas {
        limits.search_schemas
    } else {
        0
    };
    let kept = if schemas > 0 { budget / 4 } else { 0 };
    let (left, mut dropped) = describe(&mut hits, budget - kept);
    add_schemas(&mut hits, schemas, left + kept);
    loop {
        let said = Said {
            dropped,
            nameless,
            ..said(&hits, &weak, args.schemas)
        };
        let reply = reply(catalog, args, &hits, &weak, said);
        let json = serialize(&reply);
        let fits = json.get().len() <= limits.max_answer_bytes && at_most(json.get()) <= most;
        if fits {
            return Answer::structured(&reply);
        }
        if !drop_schema(&mut hits) {
            if drop_worst(&mut hits).is_none() {
                return Answer::structured(&self::reply(catalog, args, &hits, &weak, said));
            }
            dropped += 1;
        }
    }
}

/// Hits without descriptions yet, and how many are left out for their names.
fn hits<'a>(
    found: &'a [Vec<Found>],
    sentences: &'a [Vec<Vec<String>>],
    longest: usize,
) -> (Hits<'a>, usize) {
    let mut nameless = 0;
    let hits = found.iter().zip(sentences).map(|(found, sentences)| {
        let fits = |hit: &Hit<'_>| {
            let fits = at_most(serialize(&hit.name).get()) <= longest;
            nameless += usize::from(!fits);
            fits
        };
        let hits = found.iter().zip(sentences).map(|(found, sentences)| Hit {
            name: &found.entry.tool.name,
            description: String::new(),
            read_only: found.entry.access == Access::Read,
            also_as: also_as(found, longest),
            schema: None,
            is_folded: false,
            is_omitted: false,
            sentences,
            whole_schema: &found.entry.tool.input_schema,
        });
        hits.filter(fits).collect()
    });
    (hits.collect(), nameless)
}

/// The other names of a hit, as many as there is room for: `describe_tool` tells them apart.
fn also_as(found: &Found, room: usize) -> Vec<&str> {
    let mut left = room;
    let names = found.twins.iter().map(|twin| twin.tool.name.as_str());
    let fits = |name: &&str| {
        let rest = left.checked_sub(at_most(serialize(name).get()));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    names.take(MOST_TWINS).take_while(fits).collect()
}

fn said(hits: &Hits<'_>, weak: &[bool], schemas: bool) -> Said {
    let any = |is: fn(&Hit<'_>) -> bool| hits.iter().flatten().any(is);
    Said {
        missing: schemas && any(|hit| hit.schema.is_none()),
        folded: any(|hit| hit.is_folded),
        omitted: any(|hit| hit.is_omitted),
        weak: weak.contains(&true),
        twins: any(|hit| !hit.also_as.is_empty()),
        dropped: 0,
        nameless: 0,
    }
}

fn reply<'a>(
    catalog: &Catalog,
    args: &SearchArgs,
    hits: &'a Hits<'a>,
    weak: &[bool],
    said: Said,
) -> Reply<'a> {
    let single = hits.first().filter(|_| args.single).map(Vec::as_slice);
    let results = args.queries.iter().zip(hits).zip(weak);
    let results = results.map(|((query, tools), &weak)| Results {
        query: clip(query, ECHO),
        tools,
        weak,
    });
    Reply {
        tools: single,
        weak: single.is_some() && weak.contains(&true),
        results: single.is_none().then(|| results.collect()),
        total: catalog.len(),
        notes: notes(catalog, args, said),
    }
}

fn notes(catalog: &Catalog, args: &SearchArgs, said: Said) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(ceiling) = catalog.truncated() {
        notes.push(format!(
            "The tool list was cut at the limit of {ceiling}; there are more tools than {}.",
            catalog.len()
        ));
    }
    if let Some(staleness) = catalog.staleness() {
        let minutes = staleness.age.as_secs() / 60;
        notes.push(format!("The tool list is {minutes} minutes old: the server behind it cannot be listed now ({}).", staleness.reason));
    }
    if catalog.is_empty() {
        notes.push("The server behind this proxy lists no tools for these credentials.".to_owned());
    } else if !catalog.searches_by_meaning() {
        notes.push(
            "Search is by words alone here: use words that the tools use, in their language."
                .to_owned(),
        );
    }
    let fixed = [
        (
            said.weak,
            "`weak`: the best match is poor; perhaps no tool does this. Search again in other words before you call one.",
        ),
        (
            said.twins,
            "`alsoAs`: the same tool under other names, such as another account's; choose by name, and name the one you mean in `query` for more of them.",
        ),
        (
            said.missing,
            "describe_tool gives the input schema of a hit without one.",
        ),
        (
            said.folded,
            "`schemaFolded`: shortened; it accepts all that the whole schema accepts, and describe_tool gives the whole.",
        ),
        (said.omitted, "`schemaOmitted`: did not fit."),
    ];
    notes.extend(
        fixed
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, note)| (*note).to_owned()),
    );
    if said.dropped > 0 {
        notes.push(format!(
            "{} more hits did not fit: lower `limit`, or ask fewer queries.",
            said.dropped
        ));
    }
    if said.nameless > 0 {
        notes.push(format!(
            "{} hits are left out: their names are too long.",
            said.nameless
        ));
    }
    if args.is_clamped {
        notes.push(format!(
            "`limit` is 1 to {MOST_HITS}: {} was used.",
            args.limit
        ));
    }
    notes
}
