// Package sandbox renders charts in processes that can be killed.
//
// Floor 2, effect: it starts processes and nothing else. The one idea: a template can neither be interrupted nor be kept
// from taking memory within the process it runs in, so it runs in another one. A Pool keeps a few of those at hand; each
// renders one request at a time, under a bound of memory that the kernel holds, and is killed when its time is up. The
// process is this program itself, started with an argument on which it calls Main.
//
//	Pool.Render ── same request under way? ── yes ──► wait for it
//	     │ no
//	     ├── no free process within QueueLimit ──► ErrBusy
//	     ▼
//	   worker ── stdin: request ─────────────► Main ── render ──┐
//	     │  ◄─── stdout: «send me the chart», or the release ───┘
//	     └── no answer within Timeout ──► kill, ErrTimeout, start another
package sandbox
