import type { FieldNode } from 'graphql';
import type { Path } from 'graphql/jsutils/Path.js';

/** The text of a value that waits for promises. It reports to `position`, which is set before any promise is settled. */
export interface PendingText {
  position: Position;
}

/** A value's text, if no promise is waited for. */
export type Text = string | PendingText;

/** The receiver of the text of a pending value. */
export interface Position {
  settle(text: Text): void;
  fail(error: unknown): void;
}

/** Handles the error of a field or list item: reports it and returns `null`, or throws it if the type is non-null. */
export type ErrorHandler = (error: unknown, at: Location) => string;

/** A field or list item, as its errors name it. */
export interface Location {
  readonly nodes: readonly FieldNode[];
  readonly path: Path;
  readonly isNonNull: boolean;
}

/** A value that waits for one promise, and is then completed. */
export class AwaitedText implements PendingText {
  declare position: Position;

  constructor(promise: PromiseLike<unknown>, complete: (value: unknown) => Text) {
    const settle = (value: unknown): void => {
      let text: Text;
      try {
        text = complete(value);
      } catch (error) {
        return this.position.fail(error);
      }
      this.position.settle(text);
    };
    // A thenable that is not a promise may call back at once, or more than once.
    void Promise.resolve(promise).then(settle, (error: unknown) => this.position.fail(error));
  }
}

/** The text of an object or list with pending fields or items. */
export class CompositeText implements PendingText {
  declare position: Position;
  private readonly parts: string[] = [];
  private pending = 0;
  private isOver = false;
  private thrown: { readonly error: unknown } | undefined;

  /** Appends text, and the text of a field or item as soon as it is settled. */
  append(text: string, item: PendingItem): void {
    this.pending += 1;
    item.composite = this;
    item.index = this.parts.push(text, '') - 1;
  }

  /** Appends the rest. */
  end(text: string): this {
    this.parts.push(text);
    return this;
  }

  /**
   * Ends an object in which a field has thrown while other fields are pending. As in graphql-js, the object fails with this
   * error only after the pending fields are settled, so that their errors are reported, too.
   */
  endWithError(error: unknown): this {
    this.thrown = { error };
    return this;
  }

  /** From now on, the texts and errors of its items are ignored. */
  abandon(): void {
    this.isOver = true;
  }

  /** Called by an item. */
  settle(index: number, text: string): void {
    if (this.isOver) return;
    this.parts[index] = text;
    this.pending -= 1;
    if (this.pending > 0) return;
    this.isOver = true;
    if (this.thrown) this.position.fail(this.thrown.error);
    else this.position.settle(this.parts.join(''));
  }

  /** Called by an item that may not be null. The others are not waited for. */
  fail(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.position.fail(this.thrown ? this.thrown.error : error);
  }
}

/** A field or list item of a composite value, which waits for its text. */
export class PendingItem implements Position {
  // Set by the composite value to which it is appended.
  declare composite: CompositeText;
  declare index: number;
  private readonly location: Location;
  private readonly onError: ErrorHandler;

  constructor(text: PendingText, location: Location, onError: ErrorHandler) {
    this.location = location;
    this.onError = onError;
    text.position = this;
  }

  settle(text: Text): void {
    if (typeof text === 'string') this.composite.settle(this.index, text);
    else text.position = this;
  }

  fail(error: unknown): void {
    let text: string;
    try {
      text = this.onError(error, this.location);
    } catch (located) {
      return this.composite.fail(located);
    }
    this.composite.settle(this.index, text);
  }
}
