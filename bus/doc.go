// Package bus is where the agents meet, and the only place: a NATS server with
// JetStream, embedded or external, the requests between agents, the journal of
// every run, and the stores for what is too large for a message.
//
// # Requests
//
// An agent offers verbs with [NewService] and [Handle]; whoever needs one uses
// [Call]. Many replicas of an agent share its verbs. A session in a browser
// that is driven over a pipe can be served by one process only: its calls go
// to the service on that node.
//
// # Journal
//
// A run's journal is the only truth about it. [Journal.Append] refuses what
// the run's state machine does not allow, and whoever is no longer the run's
// owner; [Journal.State] is the fold over the entries. See [RunState].
//
// # Limits
//
// No message exceeds [MaxMessage]; what is larger goes to a [Store] and the
// message carries its key.
package bus
