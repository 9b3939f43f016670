/**
 * `npm start`                                     the whole platform: embedded database, six services, gateway
 * `npm start -- gym`                              one service alone
 * `npm start -- gateway [--supergraph FILE] [--port N]`
 * `npm start -- migrate [SERVICE...] [--grant-to ROLE]`   creates and migrates the databases, then ends
 * `npm start -- service-secrets [--new]`           prints the secret of each server
 * `npm start -- backup FILE`                       writes a backup, while the platform runs or not
 * `npm start -- restore FILE [--force]`            restores it into an empty data folder
 * `npm start -- squad-move FROM TO`                moves squad's journals to another storage
 */
import { runCommand, type Command } from '#server/run-command.ts';
import { runUntilSignal } from '#server/run-until-signal.ts';
import { SERVICE_NAMES } from '#server/settings.ts';

/** The commands that end by themselves. The others start servers, which run until a signal. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  migrate: async () => (await import('./subgraphs/migrate.ts')).runMigrate,
  'service-secrets': async () => (await import('#server/auth/print-service-secrets.ts')).runServiceSecrets,
  backup: async () => (await import('./subgraphs/backup.ts')).runBackup,
  restore: async () => (await import('./subgraphs/backup.ts')).runRestore,
  'squad-move': async () => (await import('./subgraphs/squad/move/run.ts')).runMove,
};

const [what, ...args] = process.argv.slice(2);
const command = what === undefined ? undefined : COMMANDS[what];

// Each branch imports only what it starts: a gateway needs none of the services.
if (what === undefined) {
  const { startPlatform } = await import('./platform.ts');
  await runUntilSignal((progress) => startPlatform(process.env, progress));
} else if (what === 'gateway') {
  const { runGateway } = await import('./gateway/run.ts');
  await runGateway(args, process.env);
} else if (command) await runCommand(await command(), args, process.env);
else if (SERVICE_NAMES.some((name) => name === what)) await import(`./subgraphs/${what}/main.ts`);
else {
  const known = ['gateway', ...Object.keys(COMMANDS), ...SERVICE_NAMES];
  process.stderr.write(
    `There is no "${what}" to start. Expected nothing (the whole platform), or one of ${known.join(', ')}.\n`,
  );
  process.exit(1);
}
