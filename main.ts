/**
 * `npm start`                                     the whole platform: embedded database, six services, gateway
 * `npm start -- gym`                              one service alone
 * `npm start -- squad-move FROM TO`                moves squad's journals to another storage
 * `npm start -- gateway [--supergraph FILE] [--port N]`
 */
import { runUntilSignal } from '#server/run-until-signal.ts';
import { SERVICE_NAMES } from '#server/settings.ts';

const [what, ...args] = process.argv.slice(2);

// Each branch imports only what it starts: a gateway needs none of the services.
if (what === undefined) {
  const { startPlatform } = await import('./platform.ts');
  await runUntilSignal((progress) => startPlatform(process.env, progress));
} else if (what === 'gateway') {
  const { runGateway } = await import('./gateway/run.ts');
  await runGateway(args, process.env);
} else if (what === 'squad-move') {
  const [{ runMove }, { StartError }] = await Promise.all([
    import('./subgraphs/squad/move/run.ts'),
    import('#server/start-error.ts'),
  ]);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    process.exitCode = await runMove(args, process.env, print);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
} else if (SERVICE_NAMES.some((name) => name === what)) await import(`./subgraphs/${what}/main.ts`);
else {
  process.stderr.write(
    `There is no "${what}" to start. Expected nothing (the whole platform), gateway, squad-move, or one of ${SERVICE_NAMES.join(', ')}.\n`,
  );
  process.exit(1);
}
