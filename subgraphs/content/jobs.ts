import { endForgottenTrainings } from './trainings/end-forgotten-trainings.ts';

/** The jobs of this service, in addition to the one that removes old rows. */
export const contentJobs = [endForgottenTrainings];
