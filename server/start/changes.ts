import { secretsOf } from '../auth/service-secret.ts';
import { changeKeysOf } from '../changes/change-keys.ts';
import { ChangeNotices } from '../changes/change-notices.ts';
import type { AnySubgraph } from '../define-subgraph.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';
import type { ServiceDatabase } from './database.ts';

/** If the service declares kinds of changes, and REDIS_URL is set, it notes its changes in Redis for the caches of the gateways. */
export async function openChangeNotices(
  { name, changeKinds: kinds = [] }: AnySubgraph,
  settings: ServerSettings,
  { database, log }: { database: ServiceDatabase | undefined; log: Logger },
): Promise<ChangeNotices | undefined> {
  const { redisUrl } = settings;
  if (redisUrl === undefined || !database || kinds.length === 0) return undefined;
  const { forwarding } = await secretsOf(name, settings);
  return ChangeNotices.open({
    kinds,
    keys: changeKeysOf(forwarding),
    database: database.address,
    redis: { ...settings, redisUrl },
    log,
  });
}
