import type { ServerName } from '#server/auth/service-secret.ts';
import { needsOf, settingsOf } from '#server/run.ts';
import { missingChoices, reportingAllProblems, serverSettings, variableOf } from '#server/settings.ts';
import { gatewaySettings, gatewaySettingsOf } from '../../../gateway/settings.ts';
import { subgraphs } from '../../../subgraphs/index.ts';

/** Variables that are read by Node or by a library. */
const NOT_OURS = /^(NODE_ENV|TZ|NODE_OPTIONS|AWS_\w+)$/;

const subgraphOf = (name: ServerName) => subgraphs.find((subgraph) => subgraph.name === name);

/** The variables that a server does not read. */
export function unknownSettings(server: ServerName, variables: readonly string[]): string[] {
  const subgraph = subgraphOf(server);
  const fields = subgraph
    ? [...Object.keys(serverSettings.shape), ...Object.keys(subgraph.settings.shape), `${server}Port`]
    : Object.keys(gatewaySettings.shape);
  const known = new Set(fields.map(variableOf));
  return variables.filter((name) => !known.has(name) && !NOT_OURS.test(name));
}

/** The settings of a server that is started alone. @throws SettingsError with all that are missing or wrong */
export function settingsIn(server: ServerName, env: Record<string, string>) {
  const subgraph = subgraphOf(server);
  const needs = subgraph
    ? needsOf([subgraph])
    : { hasDatabase: false, storesFiles: false, sendsMails: false };
  return reportingAllProblems(missingChoices(env, { ...needs, isSeparate: true }), () =>
    subgraph ? settingsOf(subgraph, env).settings : gatewaySettingsOf(env),
  );
}
