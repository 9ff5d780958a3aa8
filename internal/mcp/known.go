package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// known refuses a call of a tool or with an argument that there is not, in words
// that lead to the right one: the client's model reads them.
func (s *Server) known(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		schema := s.schemas[call.Params.Name]
		if schema == nil {
			names := slices.Sorted(maps.Keys(s.schemas))
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q%s", short(call.Params.Name), meant(call.Params.Name, names))}
		}
		if err := argumentsOf(call.Params.Name, schema, call.Params.Arguments); err != nil {
			var res mcp.CallToolResult
			res.SetError(err)
			return &res, nil
		}
		return next(ctx, method, req)
	}
}

// argumentsOf says which argument in data the schema does not know, or misses;
// where names the tool, or the argument that data is of. Types are left to the SDK.
func argumentsOf(where string, schema *jsonschema.Schema, data json.RawMessage) error {
	var list []json.RawMessage
	if schema.Items != nil && json.Unmarshal(data, &list) == nil {
		for k, one := range list {
			if err := argumentsOf(fmt.Sprintf("%s[%d]", where, k), schema.Items, one); err != nil {
				return err
			}
		}
		return nil
	}
	given := map[string]json.RawMessage{}
	if schema.Type != "object" || len(data) > 0 && json.Unmarshal(data, &given) != nil {
		return nil
	}
	names := schema.PropertyOrder
	var missing []string
	for _, name := range schema.Required {
		if given[name] == nil {
			missing = append(missing, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if schema.Properties[name] != nil {
			continue
		}
		hint := meant(name, names)
		if hint == "" && len(missing) == 1 {
			hint = " (did you mean " + missing[0] + "?)"
		}
		return fmt.Errorf("%s has no argument %q%s%s", where, short(name), hint, takes(names))
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s lacks %s%s", where, strings.Join(missing, ", "), takes(names))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if err := argumentsOf(where+": "+name, schema.Properties[name], given[name]); err != nil {
			return err
		}
	}
	return nil
}

// takes lists what can be given.
func takes(names []string) string {
	if len(names) == 0 {
		return ". It takes none"
	}
	return ". It takes " + strings.Join(names, ", ")
}

// meant asks for the name that is nearest to a wrong one, if one is near.
func meant(wrong string, names []string) string {
	best, at := "", 1+min(len(wrong), 40)/3
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(short(wrong)), strings.ToLower(name)); d < at {
			best, at = name, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}
