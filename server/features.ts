import { z } from 'zod';
import { isAdmin, type Viewer } from './auth/viewer.ts';
import { PlatformError } from './errors.ts';
import { boundedCache, bytesOfText } from './observability/bounded-cache.ts';
import type { Logger } from './observability/logger.ts';

/** The modules that a gym can switch off for its members. */
const FEATURE_MODULES = [
  'nutrition',
  'content',
  'squad',
  'wizard',
  'shop',
  'challenges',
  'feed',
  'classes',
] as const;
export type FeatureModule = (typeof FEATURE_MODULES)[number];

/** A gym's switches by module; a module without a switch is on. */
type FeatureSwitches = Readonly<Record<string, boolean>>;

/** Reads the switches of a gym from the gym service. Returns undefined if there is no such gym. */
export type FeatureSource = (gymId: string) => Promise<FeatureSwitches | undefined>;

/**
 * How long a gym's switches are used before they are read again: 2 s. With the time of the request and the caches of the
 * gateway, a change then takes effect everywhere within 5 s.
 */
const FRESH_MILLIS = 2_000;

/** Decides whether a module is on for a viewer. */
export class Features {
  private readonly source: FeatureSource;
  private readonly log: Logger;
  private readonly known = boundedCache<string, { switches: FeatureSwitches; until: number }>({
    name: 'gym_features',
    maxEntries: 10_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: ({ switches }, gymId) =>
      bytesOfText(gymId) + Object.keys(switches).reduce((total, name) => total + 16 + bytesOfText(name), 64),
  });
  private readonly asking = new Map<string, Promise<FeatureSwitches>>();

  constructor(source: FeatureSource, log: Logger) {
    this.source = source;
    this.log = log;
  }

  /**
   * @throws FEATURE_DISABLED if the viewer is a member of a gym that has switched the module off. Admins keep their access,
   * and users without a gym are not restricted.
   */
  async require(viewer: Viewer, module: FeatureModule): Promise<void> {
    if (viewer.kind !== 'user' || isAdmin(viewer) || !viewer.gymId) return;
    const switches = await this.of(viewer.gymId);
    if (switches[module] === false) {
      throw new PlatformError(
        'FEATURE_DISABLED',
        `Your gym has switched off "${module}"; its admins can switch it on again.`,
      );
    }
  }

  private of(gymId: string): Promise<FeatureSwitches> | FeatureSwitches {
    const known = this.known.get(gymId);
    if (known && known.until > Date.now()) return known.switches;
    const asking =
      this.asking.get(gymId) ?? this.ask(gymId, known?.switches).finally(() => this.asking.delete(gymId));
    this.asking.set(gymId, asking);
    return asking;
  }

  /** While the gym service does not answer, the last known switches apply; if none are known, everything is on. */
  private async ask(gymId: string, before: FeatureSwitches | undefined): Promise<FeatureSwitches> {
    let switches: FeatureSwitches;
    try {
      switches = (await this.source(gymId)) ?? {};
    } catch (error) {
      this.log.warn(
        { err: error, gymId },
        'the feature switches of a gym cannot be read; the last known ones apply, or all modules are on',
      );
      switches = before ?? {};
    }
    this.known.set(gymId, { switches, until: Date.now() + FRESH_MILLIS });
    return switches;
  }
}

const configAnswer = z.object({ features: z.record(z.string(), z.boolean()) });

/** The switches that the gym service publishes at `GET /gym/config/:gymId`. */
export function featuresByGymService(gymUrl: string): FeatureSource {
  return async (gymId) => {
    const response = await fetch(`${gymUrl}/gym/config/${encodeURIComponent(gymId)}`, {
      signal: AbortSignal.timeout(1_500), // 1.5 s
    });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`GET /gym/config answered ${response.status}`);
    return configAnswer.parse(await response.json()).features;
  };
}

/**
 * For each rules object of a subgraph, the module that a gym can switch off; null if the rules are always on. Only an object
 * whose methods all return promises can belong to a module. The type requires an entry for each such object, so that no new
 * one is forgotten.
 */
export type ModuleOfRules<Services> = {
  readonly [
    Name in keyof Services as IsAsync<Services[Name]> extends true ? Name : never
  ]: FeatureModule | null;
};

type IsAsync<Rules> = {
  [Member in keyof Rules]: Rules[Member] extends (...args: never[]) => Promise<unknown> ? true : false;
}[keyof Rules];

/**
 * The rules objects; calls of those that belong to a module fail while the module is off for the viewer.
 * @param requireOn rejects with FEATURE_DISABLED if the module is off
 */
export function withSwitches<Services extends object>(
  services: Services,
  modules: Readonly<Record<string, FeatureModule | null>>,
  requireOn: (module: FeatureModule) => Promise<void>,
): Services {
  const switched = { ...services } as Record<string, object>;
  for (const [name, module] of Object.entries(modules)) {
    const rules = switched[name];
    if (rules && module) switched[name] = checkedFirst(rules, () => requireOn(module));
  }
  return switched as Services;
}

/** The rules, with `check` before each call. `ModuleOfRules` admits only rules whose methods are asynchronous. */
const checkedFirst = <Rules extends object>(rules: Rules, check: () => Promise<void>): Rules =>
  new Proxy(rules, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property, target);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        await check();
        return (method as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
