// Does the Go SDK's client work through the proxy, with the handshake and without?
//
// usage: client <url> legacy|auto
// It takes requests from standard input, one line of JSON each, and answers each with one line; the
// steps and what is expected of an answer are client-driven.py's, which starts it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A request is a call of a tool, or the list of tools where no tool is named, or the end of an
// earlier one.
type request struct {
	ID        int             `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Progress  bool            `json:"progress"`
	Cancel    bool            `json:"cancel"`
}

type answer struct {
	ID           int             `json:"id"`
	Version      string          `json:"version,omitempty"`
	Instructions string          `json:"instructions,omitempty"`
	Tools        []string        `json:"tools,omitempty"`
	Result       json.RawMessage `json:"result,omitempty"`
	Progress     [2]float64      `json:"progress,omitzero"`
	Code         int64           `json:"code,omitempty"`
	Error        string          `json:"error,omitempty"`
}

// A caller adds the token, which is in the environment where the upstream wants one.
type caller struct{}

func (caller) RoundTrip(request *http.Request) (*http.Response, error) {
	if token := os.Getenv("INTEROP_TOKEN"); token != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return http.DefaultTransport.RoundTrip(request)
}

type teller struct {
	mutex sync.Mutex
	lines *json.Encoder
}

func (t *teller) tell(said answer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if err := t.lines.Encode(said); err != nil {
		log.Fatal(err)
	}
}

func main() {
	url, mode := os.Args[1], os.Args[2]
	told := &teller{lines: json.NewEncoder(os.Stdout)}
	noted := func(_ context.Context, note *mcp.ProgressNotificationClientRequest) {
		id, _ := note.Params.ProgressToken.(float64)
		told.tell(answer{ID: int(id), Progress: [2]float64{note.Params.Progress, note.Params.Total}})
	}
	options := &mcp.ClientOptions{ProgressNotificationHandler: noted}
	client := mcp.NewClient(&mcp.Implementation{Name: "interop-go", Version: "1.0.0"}, options)
	asked := &mcp.ClientSessionOptions{}
	if mode == "legacy" {
		asked.ProtocolVersion = "2025-11-25"
	}
	reach := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: caller{}}}
	session, err := client.Connect(context.Background(), reach, asked)
	if err != nil {
		log.Fatal(err)
	}
	agreed := session.InitializeResult()
	told.tell(answer{Version: agreed.ProtocolVersion, Instructions: agreed.Instructions})
	var running sync.WaitGroup
	ends := map[int]context.CancelFunc{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var wanted request
		if err := json.Unmarshal(lines.Bytes(), &wanted); err != nil {
			log.Fatal(err)
		}
		if wanted.Cancel {
			ends[wanted.ID]()
			continue
		}
		scope, end := context.WithCancel(context.Background())
		ends[wanted.ID] = end
		running.Go(func() { told.tell(ask(scope, session, wanted)) })
	}
	running.Wait()
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}

func ask(scope context.Context, session *mcp.ClientSession, wanted request) answer {
	said := answer{ID: wanted.ID}
	var result any
	var err error
	if wanted.Tool == "" {
		var list *mcp.ListToolsResult
		if list, err = session.ListTools(scope, nil); err == nil {
			for _, tool := range list.Tools {
				said.Tools = append(said.Tools, tool.Name)
			}
		}
	} else {
		params := &mcp.CallToolParams{Name: wanted.Tool, Arguments: wanted.Arguments}
		if wanted.Progress {
			params.Meta = mcp.Meta{}
			params.SetProgressToken(wanted.ID)
		}
		result, err = session.CallTool(scope, params)
	}
	if err == nil && wanted.Tool != "" {
		said.Result, err = json.Marshal(result)
	}
	if err != nil {
		said.Error = err.Error()
		var coded *jsonrpc.Error
		if errors.As(err, &coded) {
			said.Code = coded.Code
		}
	}
	return said
}
