#!/usr/bin/env bash
# Is this checkout slower than another revision?
#
#   gate.sh REVISION CONDITION OPTION…
#   gate.sh origin/main "p95 > +10%" --path=/shop/ --server=gunicorn-gthread --users=8 --duration=10
#
# CONDITION must not happen, OPTION… are those of `benchsuite run`. Both revisions are measured in turns, from one folder and
# under one Python: python3 of the PATH, or PYTHON. STARTS of each (6; fewer than 5 decide nothing). Exit status: 0 the condition
# holds, 1 it is broken, 3 undecided, 2 anything else. Writes gate.md and gate.xml (JUnit).
set -Eeuo pipefail
trap 'exit 2' ERR

before=$(git rev-parse --verify --quiet "${1-}^{commit}") || { echo "gate.sh: there is no revision ${1-}" >&2; exit 2; }
after=$(git rev-parse HEAD)
condition=${2-}
shift 2 || { echo "gate.sh REVISION CONDITION OPTION…" >&2; exit 2; }

python=$(command -v "${PYTHON:-python3}") || { echo "gate.sh: there is no ${PYTHON:-python3}" >&2; exit 2; }
folder=$(mktemp -d)
worktree=$folder/$(basename "$(git rev-parse --show-toplevel)")
trap 'git worktree remove --force "$worktree" || true; rm -rf "$folder"' EXIT
git worktree add --quiet --detach "$worktree" "$after"

benchsuite() {
  command benchsuite --project "$worktree/$(git rev-parse --show-prefix)" --python "$python" --results "$folder/results.sqlite3" "$@"
}

for start in $(seq "${STARTS:-6}"); do
  for side in before after; do
    git -C "$worktree" checkout --quiet --detach "${!side}"
    benchsuite run --label=$side --seed="$start" "$@" || exit 2
  done
done
benchsuite compare before after --fail-if "$condition" --markdown gate.md --junit gate.xml || exit $?
