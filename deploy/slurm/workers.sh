#!/bin/bash
# Workers of tattle as a Slurm job array: edit, then sbatch workers.sh.
#SBATCH --job-name=tattle
#SBATCH --array=0-15
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time=24:00:00
#SBATCH --output=tattle-%A-%a.log
#SBATCH --open-mode=append
# A job on a lost node, or preempted, is queued again.
#SBATCH --requeue
# Slurm sends USR1 to this script 120 seconds before the time limit.
#SBATCH --signal=B:USR1@120

# The run, which was begun with --prepare. All nodes must see it and its inputs.
run="$HOME/run"

export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-1}"

# At the time limit the worker gives its shard back, and the job is queued again.
# scancel and preemption signal the worker too; the script does it only if they do not.
again='' stop='' worker=''
trap 'again=1; [ -z "$worker" ] || kill -TERM "$worker" 2>/dev/null' USR1
trap 'stop=1' TERM INT

tattle worker "$run" &
worker=$!
[ -z "$again" ] || kill -TERM "$worker"

# A signal ends wait, not the worker.
while kill -0 "$worker" 2>/dev/null; do
	wait "$worker"
	for _ in ${stop:+1 2 3 4 5}; do
		kill -0 "$worker" 2>/dev/null && sleep 1
	done
	[ -z "$stop" ] || kill -TERM "$worker" 2>/dev/null
	stop=
done
wait "$worker"
status=$?

if [ -n "$again" ] && [ "$status" -ne 0 ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
