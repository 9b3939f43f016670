import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { StartError } from '#server/start-error.ts';
import { forwardedNames } from './header-rules.ts';
import { readRouterFile, rulesOf, type RouterRules, type SubgraphRules } from './router-file.ts';

/** How the gateway opens a connection with TLS, in the words of Node. */
export interface TlsOptions extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
  servername?: string;
}

/** The rules of one subgraph, with the content of its TLS files. */
export type SubgraphRoute = Omit<SubgraphRules, 'tls'> & { readonly tls: TlsOptions | undefined };

/** The operator's rules of the file ROUTER_FILE, which is read once, at the start. */
export class Router {
  readonly rules: RouterRules;
  /** The names of the client's headers that some subgraph gets. */
  readonly headerNames: readonly string[];
  private readonly tls: ReadonlyMap<string, TlsOptions>;
  private readonly names = new Map<string, string>();

  private constructor(rules: RouterRules, tls: ReadonlyMap<string, TlsOptions>) {
    this.rules = rules;
    this.tls = tls;
    this.headerNames = forwardedNames(Object.values(rules.subgraphs).map(({ headers }) => headers));
  }

  /** @throws StartError that names the problem and its line */
  static async read(file: string | undefined): Promise<Router> {
    const rules = await readRouterFile(file);
    const tls = new Map<string, TlsOptions>();
    for (const [name, { tls: files }] of Object.entries(rules.subgraphs))
      if (files) tls.set(name, await tlsOptions(name, files));
    return new Router(rules, tls);
  }

  subgraph(name: string): SubgraphRoute {
    const { tls: _files, ...rules } = rulesOf(name, this.rules);
    return { ...rules, tls: this.tlsOf(name) };
  }

  tlsOf(name: string): TlsOptions | undefined {
    return this.tls.get(name) ?? this.tls.get('all');
  }

  /** Notes the name of the subgraph at this URL, for `tlsAt`. */
  remember(name: string, url: string): void {
    this.names.set(url, name);
  }

  tlsAt(url: string): TlsOptions | undefined {
    return this.tlsOf(this.names.get(url) ?? 'all');
  }
}

async function tlsOptions(subgraph: string, files: NonNullable<SubgraphRules['tls']>): Promise<TlsOptions> {
  const { caFile, certFile, keyFile, serverName } = files;
  const content = async (field: string, file: string) => {
    const text = await readFile(file).catch((cause: unknown) => {
      throw new StartError(
        `ROUTER_FILE: subgraphs.${subgraph}.tls.${field} names ${file}, which cannot be read; name a PEM file.`,
        { cause },
      );
    });
    return text;
  };
  return {
    ...(caFile !== undefined && { ca: await content('caFile', caFile) }),
    ...(certFile !== undefined && { cert: await content('certFile', certFile) }),
    ...(keyFile !== undefined && { key: await content('keyFile', keyFile) }),
    ...(serverName !== undefined && { servername: serverName }),
  };
}
