import { endInterruptedImports } from './imports/end-interrupted-imports.ts';

/** The jobs of this service, in addition to those of every service. */
export const nutritionJobs = [endInterruptedImports];
