#!/usr/bin/env bash
# Grids and shards through future.batchtools and future.mirai on a Slurm that is started here, in a scratch folder, and
# stopped again: tools/cluster-test.sh, or tools/cluster-test.sh COMMAND... to run something else on it.
# Closes with "cluster: N passed, N failed".
set -u
here=$PWD
. tests/cluster/slurm.sh
for command in munged slurmctld slurmd sbatch; do
  if ! PATH=$PATH:/usr/sbin command -v "$command" > /dev/null; then
    echo "There is no $command: the tests on Slurm are left out."
    echo "cluster: 0 passed, 0 failed"
    exit 0
  fi
done
# batchtools asks for the jobs of $USER.
export PATH=$PATH:/usr/sbin OMP_THREAD_LIMIT=2 USER=${USER:-$(id -un)}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/onlinesvm-cluster-XXXXXX")
finish() {
  slurm_stop
  cd / && rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM
if ! slurm_start "$scratch/slurm" 4; then
  echo "cluster: 0 passed, 1 failed"
  exit 1
fi
mkdir "$scratch/work" && cd "$scratch/work" || exit 1
if [ $# -gt 0 ]; then
  "$@"
  exit
fi
Rscript "$here/tests/cluster/cluster.R" "$here/tests/cluster/slurm.tmpl"
status=$?
left=$(squeue -h 2> /dev/null | grep -vc daemon)
[ "$left" -eq 0 ] || { echo "$left jobs were left in the queue."; status=1; }
exit $status
