//go:build js && wasm

// Command tattle-wasm audits a CSV of outputs in a browser: docs/try/worker.js calls the two
// functions that it sets on the global object tattle.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"

	"tattle/internal/try"
)

func main() {
	js.Global().Set("tattle", map[string]any{
		"columns": js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(columns(args[0])) }),
		"audit":   js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(audit(args[0], args[1].String(), args[2])) }),
	})
	select {} // the page ends the program
}

// answer returns a value for the page, or an object with an error.
func answer(v map[string]any, err error) any {
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return v
}

func bytesOf(v js.Value) []byte {
	b := make([]byte, v.Length())
	js.CopyBytesToGo(b, v)
	return b
}

func columns(file js.Value) (map[string]any, error) {
	names, err := try.Columns(bytesOf(file))
	if err != nil {
		return nil, err
	}
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return map[string]any{"columns": list}, nil
}

// audit returns the report as a page and as JSON; progress is called with sentences.
func audit(file js.Value, request string, progress js.Value) (map[string]any, error) {
	var q try.Request
	if err := json.Unmarshal([]byte(request), &q); err != nil {
		return nil, err
	}
	r, err := try.Audit(context.Background(), bytesOf(file), q, func(stage string, done, total int) {
		progress.Invoke(fmt.Sprintf("%s: %d of %d", stage, done, total))
	})
	if err != nil {
		return nil, err
	}
	var page, document bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		return nil, err
	}
	if err := r.WriteJSON(&document); err != nil {
		return nil, err
	}
	return map[string]any{"html": page.String(), "json": document.String(), "verdict": r.Label()}, nil
}
