#!/usr/bin/env bash
# A Slurm job array, one part of a run each; submit it from the repository's folder on a file system that all
# nodes share, and the merging job behind it:
#
#   shards=$(sbatch --parsable ci/slurm.sh)
#   sbatch --dependency=afterany:"$shards" --job-name=classay-merge --ntasks=1 --wrap ci/merge.sh
#
# A node with several devices takes one task a device: DEVICE="system#0.$SLURM_LOCALID".
#SBATCH --job-name=classay
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=classay-%A-%a.log
set -euo pipefail

# All tasks of an array need the same seed: its number, where none is given.
export SEED=${SEED:-$SLURM_ARRAY_JOB_ID}
export DEVICE=${DEVICE:-system}
export BUDGET=${BUDGET:-600}
# The array counts from 1, so its last task's number is how many there are.
exec ci/shard.sh "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_MAX"
