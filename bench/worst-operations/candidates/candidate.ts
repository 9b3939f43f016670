import type { ServiceName } from '#server/settings.ts';

/** A short operation that may be costly. */
export interface Candidate {
  readonly name: string;
  /**
   * The operation, which selects something `count` times. `mark` becomes a part of its name, so that it is new to the
   * gateway.
   */
  query(count: number, mark: string): string;
  /** The largest `count` that is tried. */
  readonly most: number;
  variables?(count: number): Record<string, unknown>;
  /** The service to whose own graph it is sent. Default: the gateway. */
  readonly service?: ServiceName;
}

export const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
