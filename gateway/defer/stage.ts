import type { ExecutionContext } from '../execution/execution-context.ts';
import type { DeferrablePlan } from '../plan/compile-plan.ts';

/**
 * The fetches of the primary part of an operation, or of one deferred part, in one execution. A part begins as soon as the
 * fetches that it depends on are done, with a copy of its parent's data.
 */
export class Stage {
  private readonly plan: DeferrablePlan;
  private readonly parts: readonly { label: string; awaited: string[]; stage: Stage }[];
  private readonly done = Promise.withResolvers<ExecutionContext>();
  private hasBegun = false;

  constructor(plan: DeferrablePlan) {
    this.plan = plan;
    this.parts = plan.parts.map((part) => ({
      label: part.label,
      awaited: [...part.depends],
      stage: new Stage(part),
    }));
  }

  /**
   * Resolves when all fetches of this stage and of its parents are done. The parents count because a part may contain fields that
   * they fetch. Never rejects.
   */
  get complete(): Promise<ExecutionContext> {
    return this.done.promise;
  }

  /** The parts at any depth, by label. */
  *byLabel(): Generator<[string, Stage]> {
    for (const { label, stage } of this.parts) {
      yield [label, stage];
      yield* stage.byLabel();
    }
  }

  begin(context: ExecutionContext, parent?: Stage): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.run(context, parent)
      .catch((error: unknown) => context.fail(error))
      .finally(() => this.done.resolve(context));
  }

  private async run(context: ExecutionContext, parent: Stage | undefined): Promise<void> {
    const beginReady = (): void => {
      for (const { awaited, stage } of this.parts)
        if (awaited.length === 0) stage.begin(context.fork(), this);
    };
    context.onFetched = (id) => {
      for (const { awaited } of this.parts) {
        const index = awaited.indexOf(id);
        if (index >= 0) awaited.splice(index, 1);
      }
      beginReady();
    };
    beginReady();
    await this.plan.primary?.run(context);
    context.onFetched = undefined;
    if (parent) context.complete(await parent.complete);
    // A part that has not begun yet depends on a fetch that was not needed in this execution, or on a fetch of a stage above this
    // one. All these fetches are over now, so the part begins.
    for (const { stage } of this.parts) stage.begin(context.fork(), this);
  }
}
