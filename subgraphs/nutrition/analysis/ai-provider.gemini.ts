import { setTimeout as delay } from 'node:timers/promises';
import { GoogleGenerativeAI, type GenerateContentRequest, type GenerativeModel } from '@google/generative-ai';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import type { Logger } from '#server/observability/logger.ts';
import { noteOutsideEffect } from '#server/outside-effects.ts';
import type { AiProvider, AnalysisRequest } from './ai-provider.ts';
import {
  CallerLeftError,
  failureOf,
  ForeignResponseError,
  isFaultOfCaller,
  mayBeOfMeal,
  OutOfTimeError,
  retryWaitMillis,
  textOf,
  unavailable,
} from './gemini-failures.ts';
import { generationConfig, INSTRUCTION, requestOf } from './gemini-request.ts';
import { analysisOf, answerOf } from './provider-answer.ts';

interface GeminiOptions {
  apiKey: string;
  model: string;
  baseUrl: string;
  /** The time limit of one attempt. */
  timeoutMillis: number;
  /** The time limit of all attempts and the waits between them; a shorter time limit of the caller replaces it. */
  totalTimeoutMillis: number;
  /** Attempts after the first one, for 429, 500, 502, 503 and a failed connection. */
  retries: number;
  /** The maximum of the sum of all waits between attempts; if the next wait would exceed it, there is no further attempt. */
  maxRetryWaitMillis: number;
  breakerFailures: number;
  breakerOpenMillis: number;
  log: Logger;
}

/**
 * Google's Gemini by Google's library. Only this file and its helpers use the library, because Google has announced another
 * library that replaces it.
 */
export function geminiProvider(options: GeminiOptions): AiProvider {
  const { log } = options;
  const breaker = new CircuitBreaker({
    failuresToOpen: options.breakerFailures,
    openMillis: options.breakerOpenMillis,
  });
  /**
   * The callers whose meals may have caused a failure since the last success. Another such failure of the same caller does not
   * count for the breaker.
   */
  const countedCallers = new Set<string>();
  const succeeded = () => {
    breaker.succeeded();
    countedCallers.clear();
  };
  const model = new GoogleGenerativeAI(options.apiKey).getGenerativeModel(
    { model: options.model, systemInstruction: INSTRUCTION, generationConfig },
    { baseUrl: options.baseUrl },
  );
  return {
    async analyze(request) {
      if (!breaker.tryAcquire())
        throw unavailable(
          'has failed several times and is not called at the moment',
          breaker.retryAfterMillis,
        );
      let answer: ReturnType<typeof answerOf>;
      try {
        // The answer is parsed inside the `try`: if it is cut off or no JSON, this is a failure of the provider.
        answer = answerOf(await textFrom(model, request, options));
      } catch (error) {
        const failure = failureOf(error);
        const isOfMeal = mayBeOfMeal(error);
        if (isFaultOfCaller(error) || (isOfMeal && countedCallers.has(request.callerId))) breaker.undecided();
        else if (failure.code === 'AI_UNUSABLE_ANSWER') succeeded();
        else {
          breaker.failed();
          if (isOfMeal && countedCallers.size < MAX_COUNTED_CALLERS) countedCallers.add(request.callerId);
        }
        log.warn({ err: error, code: failure.code }, 'the AI provider returned no usable answer');
        throw failure;
      }
      succeeded();
      return analysisOf(answer, { provider: 'gemini', locale: request.locale, log });
    },
  };
}

/** A bound for the memory: far fewer callers open the breaker, and while it is open only trial requests add one. */
const MAX_COUNTED_CALLERS = 1_000;
/** If less time than this is left, there is no attempt: its answer would cost money and come too late. */
const SHORTEST_ATTEMPT_MILLIS = 50;
/**
 * An attempt that ends by the time limit counts as a failure of the provider only if it lasted this long, or as long as
 * `timeoutMillis`.
 */
const FAILED_AFTER_MILLIS = 5_000; // 5 s

async function textFrom(
  model: GenerativeModel,
  analysis: AnalysisRequest,
  { retries, maxRetryWaitMillis, totalTimeoutMillis, timeoutMillis, log }: GeminiOptions,
): Promise<string> {
  const request = requestOf(analysis);
  const endsAt =
    performance.now() + Math.min(totalTimeoutMillis, analysis.timeLimitMillis ?? Number.POSITIVE_INFINITY);
  let waited = 0;
  for (let attempt = 0; ; attempt++) {
    const left = endsAt - performance.now();
    try {
      return await attemptOf(model, request, { millis: left, timeoutMillis }, analysis.signal);
    } catch (error) {
      const wait = retryWaitMillis(error, attempt);
      if (
        wait === undefined ||
        attempt >= retries ||
        waited + wait > maxRetryWaitMillis ||
        performance.now() + wait + SHORTEST_ATTEMPT_MILLIS > endsAt
      )
        throw error;
      log.info({ err: error, wait }, 'retrying the request to the AI provider');
      waited += wait;
      await delay(wait, undefined, { signal: analysis.signal }).catch(() => {
        throw new CallerLeftError();
      });
    }
  }
}

/** One request with a time limit up to the last byte of its answer; the library's own limit ends with the headers. */
async function attemptOf(
  model: GenerativeModel,
  request: GenerateContentRequest,
  { millis: left, timeoutMillis }: { millis: number; timeoutMillis: number },
  callerLeft: AbortSignal | undefined,
): Promise<string> {
  if (callerLeft?.aborted) throw new CallerLeftError();
  if (left < SHORTEST_ATTEMPT_MILLIS) throw new OutOfTimeError(false);
  const millis = Math.min(timeoutMillis, left);
  noteOutsideEffect(); // the request is billed
  const outOfTime = AbortSignal.timeout(Math.ceil(millis));
  const signal = callerLeft ? AbortSignal.any([outOfTime, callerLeft]) : outOfTime;
  try {
    return textOf((await model.generateContent(request, { signal })).response);
  } catch (error) {
    if (callerLeft?.aborted) throw new CallerLeftError('the caller has left', { cause: error });
    if (outOfTime.aborted)
      throw new OutOfTimeError(millis >= Math.min(timeoutMillis, FAILED_AFTER_MILLIS), { cause: error });
    if (error instanceof SyntaxError)
      throw new ForeignResponseError('the response is no JSON', { cause: error });
    throw error;
  }
}
