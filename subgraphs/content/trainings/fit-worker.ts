import { FitMessageReaderError } from 'fit-file-parser/raw';
import { serveJobs } from '#server/workers/serve-jobs.ts';
import type { Activity } from './activity-lines.ts';
import { activitiesOfFit } from './fit-messages.ts';

export interface FitJob {
  readonly bytes: Uint8Array;
  readonly maxParts: number;
}
export type FitResult =
  | { readonly is: 'read'; readonly activities: Activity[] }
  | { readonly is: 'too long' }
  | { readonly is: 'refused'; readonly problem: string };

const PROBLEMS: Readonly<Record<FitMessageReaderError['code'], string>> = {
  invalid_input: 'it cannot be read',
  input_limit: 'it is too large',
  invalid_header: 'its length is not the one in its header; it may have been cut',
  invalid_crc: 'its checksum is wrong; it may have been damaged',
  invalid_structure: 'one of its messages is malformed',
};

serveJobs(({ bytes, maxParts }: FitJob): FitResult => {
  try {
    const activities = activitiesOfFit(bytes, maxParts);
    const parts = activities?.reduce((sum, activity) => sum + activity.parts.length, 0) ?? Infinity;
    return !activities || parts > maxParts ? { is: 'too long' } : { is: 'read', activities };
  } catch (error) {
    if (!(error instanceof FitMessageReaderError)) throw error;
    return { is: 'refused', problem: PROBLEMS[error.code] };
  }
});
