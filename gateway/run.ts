import { stopTimesOf } from '#server/run.ts';
import { runUntilSignal } from '#server/run-until-signal.ts';
import { missingChoices, reportingAllProblems, type Environment } from '#server/settings.ts';
import { gatewaySettingsOf } from './settings.ts';
import { startGateway } from './start-gateway.ts';

/** Starts the gateway alone: `--supergraph FILE` and `--port N` take precedence over the environment. */
export async function runGateway(args: readonly string[], env: Environment): Promise<void> {
  await runUntilSignal(async (progress) => {
    const environment = {
      ...env,
      ...(option(args, 'supergraph') && { SUPERGRAPH: option(args, 'supergraph') }),
      ...(option(args, 'port') && { GATEWAY_PORT: option(args, 'port') }),
    };
    // Another supergraph needs no service secret, because its subgraphs do not have the platform's.
    const isPlatform = !environment.SUPERGRAPH || environment.SUPERGRAPH === 'compose';
    const missing = missingChoices(environment, {
      hasDatabase: false,
      storesFiles: false,
      sendsMails: false,
      isSeparate: isPlatform,
    });
    const settings = reportingAllProblems(missing, () => gatewaySettingsOf(environment));
    const running = await startGateway(settings);
    progress(`Gateway is ready: ${running.url} (explorer at ${running.url}/explorer)`);
    return { ...running, ...stopTimesOf(settings) };
  });
}

function option(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? undefined : args[at + 1];
}
