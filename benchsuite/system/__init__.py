"""Programs and processes: started, watched, and ended with all that came from them.

`starting` starts a program, `process` is what it started, and ends it; `readiness` waits until it
answers; `ports` are what it listens on; `isolated` are programs of our own. `tree` and `procfs`
tell which processes belong together. `guard`, its child the `reaper`, `removal` and
`sharedmemory` clear up after a parent that was killed. `interrupts` holds Ctrl-C back meanwhile.
`account`, `cpus` and `descriptors` are what a program may do; `programs` where it is; `logfile`
what it wrote; `ending` how it ended, in words; `private` are files for nobody else; `owner` and
`lock` who is at work.
"""
