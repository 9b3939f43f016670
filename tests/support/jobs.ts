import type { ServiceName } from '#server/settings.ts';
import type { TestPlatform } from './platform.ts';

/** Adds a scheduled job for now, so that a test need not wait for its time. */
export const runScheduled = (platform: TestPlatform, service: ServiceName, name: string): Promise<unknown> =>
  platform.sql(service, "select graphile_worker.add_job($1, '{}'::json)", [name]);
