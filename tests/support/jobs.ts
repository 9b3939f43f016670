import type { ServiceName } from '#server/settings.ts';
import { eventually } from './eventually.ts';
import type { TestPlatform } from './platform.ts';

/** Adds a scheduled job of the running service, which runs it now, so that a test need not wait for the scheduled time. */
export const runScheduled = (platform: TestPlatform, service: ServiceName, name: string): Promise<unknown> =>
  eventually(async () => {
    const added = await platform.sql(
      service,
      `select graphile_worker.add_job(identifier, '{}'::json) from graphile_worker._private_known_crontabs where identifier = $1`,
      [name],
    );
    return added.length > 0; // the worker stores its schedules in the background, after the start of the service
  });
