import {
  GoogleGenerativeAIFetchError,
  GoogleGenerativeAIResponseError,
  type GenerateContentResponse,
} from '@google/generative-ai';
import { PlatformError } from '#server/errors.ts';

/** The provider refuses to speak of this meal: its filters, not its health. */
export class BlockedAnswerError extends Error {}
/** The provider answered, and nothing can be made of it: cut, empty or another thing than was asked for. */
export class UnusableAnswerError extends Error {}
/** Its time is over. */
export class OutOfTimeError extends Error {
  /** Whether the provider had time enough; a caller in a hurry says nothing about its health. */
  readonly isProvidersFault: boolean;

  constructor(isProvidersFault: boolean, options?: ErrorOptions) {
    super('the time limit was reached', options);
    this.isProvidersFault = isProvidersFault;
  }
}
/** Nobody waits for the answer any more. */
export class CallerLeftError extends Error {}

/** Whether a failure says nothing about the provider. */
export const isCallersMatter = (error: unknown): boolean =>
  error instanceof CallerLeftError || (error instanceof OutOfTimeError && !error.isProvidersFault);

/** Reasons by which the provider's filters withhold an answer; others, such as MAX_TOKENS, are failures. */
const BLOCKED: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
]);

/** The text of a whole answer. @throws BlockedAnswerError, UnusableAnswerError */
export function textOf(response: GenerateContentResponse): string {
  const { promptFeedback, candidates } = response;
  if (promptFeedback?.blockReason)
    throw new BlockedAnswerError(`the prompt was blocked: ${promptFeedback.blockReason}`);
  const [candidate] = Array.isArray(candidates) ? candidates : [];
  const reason: string | undefined = candidate?.finishReason;
  if (reason && BLOCKED.has(reason)) throw new BlockedAnswerError(`the answer was blocked: ${reason}`);
  if (reason && reason !== 'STOP') throw new UnusableAnswerError(`the answer ended by ${reason}`);
  const parts = candidate?.content?.parts;
  const text = Array.isArray(parts) ? parts.map((part) => part.text ?? '').join('') : '';
  if (text.trim() === '') throw new UnusableAnswerError('the answer has no text');
  return text;
}

/** When to ask again: after what the provider asks for (RetryInfo), else a little longer each time; undefined: not at all. */
export function retryWaitMillis(error: unknown, attempt: number): number | undefined {
  const stepped = 200 * 2 ** attempt; // 0.2 s, 0.4 s
  if (error instanceof GoogleGenerativeAIFetchError)
    return error.status === undefined || [429, 500, 502, 503].includes(error.status)
      ? (retryInfoMillis(error) ?? stepped)
      : undefined;
  return isConnectionFailure(error) ? stepped : undefined;
}

function retryInfoMillis(error: GoogleGenerativeAIFetchError): number | undefined {
  const info = error.errorDetails?.find((detail) => detail['@type']?.endsWith('RetryInfo')) as
    | { retryDelay?: unknown }
    | undefined;
  const seconds =
    typeof info?.retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(info.retryDelay)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Of a request that was not answered at all, so that nothing was paid for. */
const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error && /fetch failed|Error fetching/i.test(error.message);

/**
 * Every way in which a request fails, in our codes. Only what the provider's filters withhold is the meal's matter (422);
 * all others are failures of the provider, at whatever point of the answer they happen.
 */
export function failureOf(error: unknown): PlatformError {
  if (error instanceof BlockedAnswerError || error instanceof GoogleGenerativeAIResponseError)
    return new PlatformError(
      'AI_UNUSABLE_ANSWER',
      'The AI provider blocked its answer to this meal as unsafe; describe the meal in other words, or log it yourself.',
      { cause: error },
    );
  if (
    error instanceof OutOfTimeError ||
    (error instanceof GoogleGenerativeAIFetchError && error.status === 504)
  )
    return new PlatformError(
      'AI_TIMEOUT',
      'The AI provider did not answer in time; try again, or log the food yourself.',
      { cause: error, retryAfterSeconds: 1 },
    );
  if (error instanceof GoogleGenerativeAIFetchError) {
    if (error.status === 429)
      return unavailable('is asked too often', retryInfoMillis(error) ?? 10_000, error);
    if (error.status !== undefined && error.status >= 400 && error.status < 500)
      return unavailable(
        'refuses the request of this service; its operator finds the reason in the log',
        undefined,
        error,
      );
    return unavailable('is out of order', retryInfoMillis(error), error);
  }
  if (isConnectionFailure(error)) return unavailable('cannot be reached', undefined, error);
  return unavailable('gave an answer that cannot be read', undefined, error);
}

export const unavailable = (what: string, retryAfterMillis?: number, cause?: unknown) =>
  new PlatformError('AI_UNAVAILABLE', `The AI provider ${what}; try again later, or log the food yourself.`, {
    cause,
    ...(retryAfterMillis !== undefined && {
      retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMillis / 1000)),
    }),
  });
