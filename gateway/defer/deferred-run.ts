import type { GraphQLError } from 'graphql';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import { PushIterator } from '#server/push-iterator.ts';
import { copyOf } from '../fetch/merge.ts';
import { ExecutionContext } from '../execution/execution-context.ts';
import type { ExecutionRequest } from '../execution/execution.ts';
import type { DeferrablePlan } from '../plan/compile-plan.ts';
import { coerceToValue } from '../response/coerce-to-value.ts';
import type { ResponsePath } from '../response/response-path.ts';
import { coercionToValue } from '../response/result-coercion.ts';
import type { DeferredShape, Place } from './deferred-shapes.ts';
import { errorsOfNull, errorsOfPrimary, ErrorsByPlace } from './part-errors.ts';
import { Stage } from './stage.ts';

/** A place at which a part is pending. */
export interface Pending {
  readonly id: string;
  readonly path: ResponsePath;
  readonly label: string | undefined;
}

/** A part at one place. Its data is null if null was propagated to the whole part. */
export interface Part {
  readonly pending: Pending;
  readonly data: JsonObject | null;
  readonly errors: readonly GraphQLError[];
}

/** What is sent in one message: first the primary part, then what is ready at the same time. */
export interface Delivery {
  /** Of the first delivery only. */
  readonly primary?: { readonly data: JsonObject | null; readonly errors: readonly GraphQLError[] };
  readonly pending: readonly Pending[];
  readonly parts: readonly Part[];
  readonly hasNext: boolean;
}

export interface DeferredSource {
  readonly plan: DeferrablePlan;
  readonly shape: DeferredShape;
  /** The client's label of each deferred fragment, by its number. */
  readonly labels: readonly (string | undefined)[];
  readonly removeRefusedValues: ((data: JsonObject) => void) | undefined;
}

interface PendingPlace extends Place {
  readonly pending: Pending;
}

/** One execution in parts. `return()` ends it: no further part is delivered; the calling code ends the fetches. */
export class DeferredRun extends PushIterator<Delivery> {
  private readonly source: DeferredSource;
  private readonly root: Stage;
  private readonly stages: ReadonlyMap<string, Stage>;
  /**
   * The number of deferred fragments with parts that are not delivered yet. A fragment counts once in each part that contains
   * it.
   */
  private pendingFragments = 0;
  private lastPendingId = 0;
  /** What the next message contains. */
  private message: { pending: Pending[]; parts: Part[] } = { pending: [], parts: [] };
  private flushing: NodeJS.Immediate | undefined;

  /** @param onPrimary called when the primary part is complete, before it is delivered */
  constructor(source: DeferredSource, request: ExecutionRequest, onPrimary: () => void) {
    super();
    this.source = source;
    this.root = new Stage(source.plan);
    this.stages = new Map(this.root.byLabel());
    this.root.begin(new ExecutionContext(request));
    void this.deliverPrimary(onPrimary).catch((error: unknown) => this.fail(error as Error));
  }

  private async deliverPrimary(onPrimary: () => void): Promise<void> {
    const context = await this.root.complete;
    onPrimary();
    const fetched = this.readable(context);
    const { shape } = this.source;
    const coercion = coercionToValue();
    const data = (coerceToValue(shape.shape, fetched, coercion) ?? null) as JsonObject | null;
    const errors = errorsOfPrimary(context, { data, fetched, coercion });
    this.expect(shape.places(data, fetched, []), this.root);
    this.send({ data, errors });
  }

  /**
   * Delivers the parts at these places when they are fetched.
   * @param parent its data contains the fields of fragments that need no fetch of their own
   */
  private expect(places: readonly Place[], parent: Stage): void {
    for (const [fragment, all] of Map.groupBy(places, (place) => place.fragment)) {
      const label = this.source.labels[fragment];
      const pendingPlaces = all.map((place): PendingPlace => {
        this.lastPendingId += 1;
        return { ...place, pending: { id: String(this.lastPendingId), path: place.path, label } };
      });
      this.message.pending.push(...pendingPlaces.map(({ pending }) => pending));
      this.pendingFragments += 1;
      const own = this.stages.get(String(fragment));
      // Without fetches of its own, a part uses its parent's data; the errors of those fetches were reported with the parent.
      void this.deliver(pendingPlaces, own ?? parent, own !== undefined).catch((error: unknown) =>
        this.fail(error as Error),
      );
    }
  }

  private async deliver(places: readonly PendingPlace[], stage: Stage, hasOwnErrors: boolean): Promise<void> {
    const context = await stage.complete;
    if (!this.isOpen) return;
    const fetched = this.readable(context);
    const errorsOf = new ErrorsByPlace(
      hasOwnErrors ? context.errors : [],
      places.map(({ path }) => path),
    );
    for (const [index, { pending, path, fields }] of places.entries()) {
      const value = valueAt(fetched, path);
      const coercion = coercionToValue();
      const data = (coerceToValue(fields.shape, value, coercion) ?? null) as JsonObject | null;
      const given = errorsOf.at(index);
      const errors =
        given.length > 0 ? given : errorsOfNull({ data, fetched: value, coercion }, path, context);
      this.message.parts.push({ pending, data, errors });
      this.expect(fields.places(data, value, path), stage);
    }
    this.pendingFragments -= 1;
    // Parts that become ready in the same turn of the event loop are sent in one message.
    this.flushing ??= setImmediate(() => this.flush());
  }

  private flush(): void {
    this.flushing = undefined;
    this.send();
  }

  private send(primary?: Delivery['primary']): void {
    const hasNext = this.pendingFragments > 0;
    this.add({ ...(primary && { primary }), ...this.message, hasNext });
    this.message = { pending: [], parts: [] };
    if (!hasNext) this.end();
  }

  /** The data without refused values. The fetches of further parts may require these, so they stay in the context. */
  private readable({ data }: ExecutionContext): JsonObject {
    const { removeRefusedValues } = this.source;
    if (!removeRefusedValues) return data;
    const copy = copyOf(data);
    removeRefusedValues(copy);
    return copy;
  }
}

const valueAt = (data: unknown, path: ResponsePath): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      Array.isArray(value) ? value[key as number] : isJsonObject(value) ? value[key] : undefined,
    data,
  );
