"""Programs and processes: started, watched, and ended with all their descendants.

`starting` starts a program; `process` watches and ends it; `readiness` waits until it answers;
`ports` finds ports; `isolated` starts programs of our own. `tree` and `procfs` find processes that
belong together. `guard`, its child the `reaper`, `removal` and `sharedmemory` clean up after a
parent that was killed; `interrupts` delays Ctrl-C. `account`, `cpus` and `descriptors` are a
program's rights; `programs` its path; `logfile` its log; `ending` its end in words; `private`
writes files for their owner only; `owner` and `lock` identify running commands.
"""
