import { migrateDatabase } from '#server/database/database.ts';
import type { AnySubgraph } from '#server/define-subgraph.ts';
import type { Command } from '#server/run-command.ts';
import { settingsOf } from '#server/run.ts';
import { StartError } from '#server/start-error.ts';
import { subgraphs } from './index.ts';

const USAGE = `npm start -- migrate [SERVICE...] [--grant-to ROLE]
  SERVICE   identity, gym and so on; default: all services with a database
  ROLE      the user of the services, who gets the right to read and write rows; {service} in it stands for each name
DATABASE_URL names the owner of the databases (with a connection pooler, DATABASE_DIRECT_URL does).`;

/**
 * Creates the services' databases and runs their migrations, so that the services can run with DATABASE_MIGRATIONS=off and a
 * user who may not change tables. It can be repeated, and may run while services of the previous release are running.
 */
export const runMigrate: Command = async (args, env, print) => {
  const { names, role } = argumentsOf(args);
  const chosen = subgraphs.filter(({ name }) => names.length === 0 || names.includes(name));
  if (names.some((name) => !subgraphs.some((subgraph) => subgraph.name === name)))
    throw new StartError(USAGE);
  for (const subgraph of chosen) await migrateService(subgraph, env, { role, print });
  return 0;
};

async function migrateService(
  subgraph: AnySubgraph,
  env: Parameters<Command>[1],
  { role, print }: { role: string | undefined; print: (line: string) => void },
): Promise<void> {
  const { settings } = settingsOf(subgraph, env);
  const { databaseUrl: url, databaseDirectUrl: directUrl } = settings;
  if (!url) throw new StartError(`DATABASE_URL is not set.\n${USAGE}`);
  if (!subgraph.database || subgraph.withoutDatabase?.(settings)) return;
  const done = await migrateDatabase(subgraph.database, {
    server: { url, directUrl },
    grantTo: role?.replaceAll('{service}', subgraph.name),
    warn: print,
  });
  const { name } = subgraph.database;
  print(`${name}: ${done.length > 0 ? `migrated ${done.join(', ')}` : 'is up to date'}`);
}

function argumentsOf(args: readonly string[]): { names: string[]; role: string | undefined } {
  const at = args.indexOf('--grant-to');
  const role = at === -1 ? undefined : args[at + 1];
  if (at !== -1 && !role) throw new StartError(USAGE);
  return { names: args.filter((_, index) => at === -1 || (index !== at && index !== at + 1)), role };
}
