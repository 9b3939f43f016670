import { AsyncLocalStorage } from 'node:async_hooks';

/** A transaction that is running. */
interface RunningTransaction {
  hasOutsideEffect: boolean;
}

const running = new AsyncLocalStorage<RunningTransaction>();

/**
 * Notes that the running code has an effect that a rollback does not undo: a file that was written, a mail, a write in
 * another service. A transaction with such an effect is not repeated. Outside of a transaction nothing happens.
 */
export function noteOutsideEffect(): void {
  const transaction = running.getStore();
  if (transaction) transaction.hasOutsideEffect = true;
}

/** Runs `work`, and writes into `transaction` whether it has an outside effect. */
export const watchingOutsideEffects = <Result>(
  transaction: RunningTransaction,
  work: () => Promise<Result>,
): Promise<Result> => running.run(transaction, work);
