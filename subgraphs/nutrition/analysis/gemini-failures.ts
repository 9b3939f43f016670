import {
  GoogleGenerativeAIFetchError,
  GoogleGenerativeAIResponseError,
  type GenerateContentResponse,
} from '@google/generative-ai';
import { PlatformError } from '#server/errors.ts';

/** The provider's filters blocked the answer to this meal; the provider itself works. */
class BlockedAnswerError extends Error {}
/** The answer reached the limit of its length; the provider itself works. */
class TooLongAnswerError extends Error {}
/** The provider's answer cannot be used: it is cut off, empty or of another shape. */
export class UnusableAnswerError extends Error {}
/** The response is not one of the provider's, such as a page of a proxy. */
export class ForeignResponseError extends Error {}
/** The time limit was reached. */
export class OutOfTimeError extends Error {
  /** Whether the provider had enough time. If the caller's own time limit was short, the provider has not failed. */
  readonly isProvidersFault: boolean;

  constructor(isProvidersFault: boolean, options?: ErrorOptions) {
    super('the time limit was reached', options);
    this.isProvidersFault = isProvidersFault;
  }
}
/** The caller has left, so that nobody waits for the answer. */
export class CallerLeftError extends Error {}

/** Whether the caller caused a failure, so that the failure does not count as one of the provider. */
export const isFaultOfCaller = (error: unknown): boolean =>
  error instanceof CallerLeftError || (error instanceof OutOfTimeError && !error.isProvidersFault);

/**
 * Whether the meal may have caused a failure: an answer was late or cannot be used. The breaker counts such a failure only once
 * for each caller, so that one caller cannot stop the analyses of the others.
 */
export const mayBeOfMeal = (error: unknown): boolean =>
  error instanceof UnusableAnswerError ||
  error instanceof OutOfTimeError ||
  (error instanceof GoogleGenerativeAIFetchError && error.status === 504);

/** The finish reasons of blocked answers; other reasons except MAX_TOKENS are failures. */
const BLOCKED: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
]);

/** The text of a complete answer. @throws BlockedAnswerError, TooLongAnswerError, UnusableAnswerError */
export function textOf(response: GenerateContentResponse): string {
  const { promptFeedback, candidates } = response;
  if (promptFeedback?.blockReason)
    throw new BlockedAnswerError(`the prompt was blocked: ${promptFeedback.blockReason}`);
  const [candidate] = Array.isArray(candidates) ? candidates : [];
  const reason: string | undefined = candidate?.finishReason;
  if (reason && BLOCKED.has(reason)) throw new BlockedAnswerError(`the answer was blocked: ${reason}`);
  if (reason === 'MAX_TOKENS') throw new TooLongAnswerError('the answer reached the limit of its length');
  if (reason && reason !== 'STOP') throw new UnusableAnswerError(`the answer ended by ${reason}`);
  const parts = candidate?.content?.parts;
  const text = Array.isArray(parts) ? parts.map((part) => part.text ?? '').join('') : '';
  if (text.trim() === '') throw new UnusableAnswerError('the answer has no text');
  return text;
}

/**
 * Milliseconds until the next attempt: as the provider says (RetryInfo), else longer each time. Undefined: there is no
 * further attempt.
 */
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

/** Whether the connection failed before an answer began, so that the request cost nothing. */
const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error && /fetch failed|Error fetching/i.test(error.message);

/**
 * The error for the caller. Only a blocked answer and one that is too long are about the meal (422); every other error is a
 * failure of the provider, at whatever point of the answer it occurs.
 */
export function failureOf(error: unknown): PlatformError {
  if (error instanceof TooLongAnswerError)
    return new PlatformError(
      'AI_UNUSABLE_ANSWER',
      'The meal has too many foods for one answer of the AI provider; name fewer foods, and send the others separately.',
      { cause: error },
    );
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
      return unavailable('receives too many requests', retryInfoMillis(error) ?? 10_000, error);
    if (error.status !== undefined && error.status >= 400 && error.status < 500)
      return unavailable('refuses the requests of this service; the reason is in its log', undefined, error);
    return unavailable('has an internal error', retryInfoMillis(error), error);
  }
  if (isConnectionFailure(error)) return unavailable('cannot be reached', undefined, error);
  return unavailable('returned an answer that cannot be read', undefined, error);
}

export const unavailable = (what: string, retryAfterMillis?: number, cause?: unknown) =>
  new PlatformError('AI_UNAVAILABLE', `The AI provider ${what}; try again later, or log the food yourself.`, {
    cause,
    ...(retryAfterMillis !== undefined && {
      retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMillis / 1000)),
    }),
  });
