import { Logger } from 'graphile-worker';
import type { Logger as PlatformLogger } from '../observability/logger.ts';

/**
 * Graphile Worker's log as lines of the service's log. Failures of jobs are left out: `run-job.ts` logs them without their
 * payloads.
 */
export const workerLogger = (log?: PlatformLogger): Logger =>
  new Logger(() => (level, message, meta) => {
    if (!log || meta?.failure) return;
    if (level === 'error' || level === 'warning') log.warn({}, `jobs: ${message}`);
    else log.debug({}, `jobs: ${message}`);
  });
