import { addJob } from '#server/jobs/add-job.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { Hub } from './hub.ts';
import { settle } from './squads/finish.ts';
import { END_LAPSED, lapsesAt, WRITE_TRAINING } from './squads/squad-jobs.ts';
import type { TrainingDelivery } from './squads/training-delivery.ts';
import type { FileJobs } from './storage/file-jobs.ts';

interface Resources {
  hub: Hub;
  trainingDelivery: TrainingDelivery;
  /** Runs the jobs, if the journals are in files. */
  fileJobs?: FileJobs | undefined;
}
const defineJob = jobOf<Resources>();

const PAUSE_MILLIS = 60_000; // 1 min

/** Writes what a participant has done in a squad as their training, after they have left or the squad has ended. */
const writeSquadTraining = defineJob({
  ...WRITE_TRAINING,
  shown: ['squadId', 'userId'],
  run: ({ squadId, userId }, { resources, signal }) =>
    resources.trainingDelivery.deliver(squadId, userId, signal),
});

/** Ends a squad in which nothing has changed for 12 h. If something has changed since, the job is planned again. */
const endLapsedSquad = defineJob({
  ...END_LAPSED,
  shown: ['squadId'],
  async run(payload, { unit, resources: { hub, fileJobs } }) {
    const squad = await settle(hub.journals, payload.squadId);
    if (squad.status === 'NONE' || squad.status === 'ENDED') return;
    // The clock of the database may be ahead of the clock of this process. Without a pause, the job would then run again and
    // again until the squad has lapsed.
    const runAt = new Date(Math.max(lapsesAt(squad).getTime(), Date.now() + PAUSE_MILLIS));
    if (fileJobs) fileJobs.add({ ...END_LAPSED, payload, runAt });
    else await addJob(unit.em, END_LAPSED, payload, { runAt });
  },
});

export const squadJobs = [writeSquadTraining, endLapsedSquad];
