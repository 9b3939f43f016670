import { createHash } from 'node:crypto';
import type { Execution, ExecutionRequest } from '../execution/execution.ts';
import { hasErrors } from '../response/result-json.ts';
import type { JsonAnswer } from '../operations/prepared-operation.ts';
import type { SharedPolicy } from './fetch-policy.ts';
import type { CacheUse, SharedCache } from './shared-cache.ts';

/**
 * How long a client may use a response after it was sent: a short time, because a client cannot be notified of a change. A gateway
 * may return the response as long as the data is unchanged.
 */
const CLIENT_SECONDS = 1;

/** The responses to one operation, all of whose fields the shared cache may contain. */
export class SharedResponses {
  private readonly cache: SharedCache;
  private readonly policy: SharedPolicy;
  private readonly id: string;

  /** @param id what decides the response, besides the variables and the viewer */
  constructor(cache: SharedCache, policy: SharedPolicy, id: readonly string[]) {
    this.cache = cache;
    this.policy = policy;
    this.id = createHash('sha256').update(JSON.stringify(id)).digest('base64url');
  }

  /** Undefined if the cache may not be used now. */
  async answer(request: ExecutionRequest, execution: Execution): Promise<JsonAnswer | undefined> {
    const use = this.cache.use(this.policy, request.context);
    if (!use) return undefined;
    const digest = use.digestOf('response', this.id, JSON.stringify(request.variables));
    const [found] = await use.find('responses', [digest]);
    if (!found) {
      const json = await this.execute(request, execution, { use, digest });
      return hasErrors(json) ? { json } : this.answerOf(json, 0);
    }
    if (found.isStale) {
      const { client: _client, span: _span, keyed: _keyed, ...context } = request.context;
      const again = { ...request, context: context as typeof request.context };
      this.cache.refresh(digest, async () => void (await this.execute(again, execution, { use, digest })));
    }
    return this.answerOf(found.text, found.ageSeconds);
  }

  private async execute(
    request: ExecutionRequest,
    execution: Execution,
    { use, digest }: { use: CacheUse; digest: string },
  ): Promise<string> {
    const json = await execution.toJson({ ...request, skipsFetchCache: true, dataState: use.version });
    if (!hasErrors(json)) use.store(digest, json);
    return json;
  }

  private answerOf(json: string, ageSeconds: number): JsonAnswer {
    const staleSeconds = this.cache.staleWhileRevalidateSeconds;
    return {
      json,
      cached: {
        maxAgeSeconds: ageSeconds + CLIENT_SECONDS,
        ageSeconds,
        ...(staleSeconds > 0 && { staleSeconds }),
      },
    };
  }
}
