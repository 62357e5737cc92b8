# A Slurm of one node on this computer, all of it in the folder $slurm: sourced, then slurm_start and slurm_stop.
# Processes run in the foreground as children of this shell and are ended by their ids.

slurm_free_port() { Rscript -e 'cat(suppressWarnings(parallelly::freePort()))' 2> /dev/null; }

slurm_start() { # FOLDER WORKERS
  slurm=$1
  local workers=$2 host
  host=$(hostname -s)
  slurm_ids=()
  mkdir -p "$slurm/state" "$slurm/spool" && chmod 755 "$slurm"
  # As root Slurm changes to no other user; without root it runs jobs of this user alone.
  (umask 077 && head -c 128 /dev/urandom > "$slurm/munge.key")
  cat > "$slurm/slurm.conf" << CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(slurm_free_port)
SlurmdPort=$(slurm_free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$slurm/munge.socket
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
KillWait=2
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$workers State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=60 State=UP
CONF
  export SLURM_CONF=$slurm/slurm.conf
  munged --foreground --force --num-threads=2 --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" \
    --pid-file="$slurm/munged.pid" --log-file="$slurm/munged.log" --seed-file="$slurm/munge.seed" \
    > "$slurm/munged.out" 2>&1 &
  slurm_ids+=($!)
  slurm_wait "munged" test -S "$slurm/munge.socket" || return 1
  slurmctld -D -c -f "$SLURM_CONF" > "$slurm/slurmctld.out" 2>&1 &
  slurm_ids+=($!)
  slurm_wait "slurmctld" scontrol ping || return 1
  slurmd -D -c -f "$SLURM_CONF" > "$slurm/slurmd.out" 2>&1 &
  slurm_ids+=($!)
  slurm_wait "slurmd" sh -c 'sinfo -h -o %T | grep -q -E "idle|mixed|allocated"'
}

slurm_wait() { # NAME COMMAND...: until the command succeeds, at most 30 seconds
  local k
  for ((k = 0; k < 300; k++)); do
    "${@:2}" > /dev/null 2>&1 && return 0
    sleep 0.1
  done
  echo "$1 did not start:"
  tail -n 5 "$slurm/$1.out" "$slurm/$1.log" 2> /dev/null
  return 1
}

# Ends jobs, then the processes, the last started first; whatever still runs after two seconds is killed.
slurm_stop() {
  local k id
  [ -n "${slurm_ids[*]-}" ] || return 0
  scancel --user="$(id -un)" > /dev/null 2>&1
  for ((k = 0; k < 50; k++)); do [ -z "$(squeue -h 2> /dev/null)" ] && break || sleep 0.1; done
  for ((k = ${#slurm_ids[@]} - 1; k >= 0; k--)); do
    id=${slurm_ids[k]}
    kill "$id" 2> /dev/null
    for ((j = 0; j < 40; j++)); do kill -0 "$id" 2> /dev/null && sleep 0.1 || break; done
    kill -9 "$id" 2> /dev/null
    wait "$id" 2> /dev/null
  done
  slurm_ids=()
}
