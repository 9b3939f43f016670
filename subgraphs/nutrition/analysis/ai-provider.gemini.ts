import { setTimeout as delay } from 'node:timers/promises';
import { GoogleGenerativeAI, type GenerateContentRequest, type GenerativeModel } from '@google/generative-ai';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { AiProvider, AnalysisRequest } from './ai-provider.ts';
import {
  CallerLeftError,
  failureOf,
  isCallersMatter,
  OutOfTimeError,
  retryWaitMillis,
  textOf,
  unavailable,
  UnusableAnswerError,
} from './gemini-failures.ts';
import { generationConfig, INSTRUCTION, requestOf } from './gemini-request.ts';
import { analysisOf, answerOf } from './provider-answer.ts';

export interface GeminiOptions {
  apiKey: string;
  model: string;
  baseUrl: string;
  /** For one attempt. */
  timeoutMillis: number;
  /** For all attempts and the waits between them; a caller who waits for less time is answered in that time. */
  totalTimeoutMillis: number;
  /** Attempts after the first, for 429, 500, 502, 503 and a connection that fails. */
  retries: number;
  /** What waiting for them may take in all; a provider that asks for more is not waited for. */
  maxRetryWaitMillis: number;
  breakerFailures: number;
  breakerOpenMillis: number;
  log: Logger;
}

/** Google's Gemini by its own library, which is behind this file alone: its maker has announced another. */
export function geminiProvider(options: GeminiOptions): AiProvider {
  const { log } = options;
  const breaker = new CircuitBreaker({
    failuresToOpen: options.breakerFailures,
    openMillis: options.breakerOpenMillis,
  });
  const model = new GoogleGenerativeAI(options.apiKey).getGenerativeModel(
    { model: options.model, systemInstruction: INSTRUCTION, generationConfig },
    { baseUrl: options.baseUrl },
  );
  return {
    async analyze(request) {
      if (!breaker.tryAcquire())
        throw unavailable('has failed several times and is not asked for a while', breaker.retryAfterMillis);
      let answer: ReturnType<typeof answerOf>;
      try {
        // Parsed here: an answer that is cut or no JSON is a failure of the provider like any other.
        answer = answerOf(await textFrom(model, request, options));
      } catch (error) {
        const failure = failureOf(error);
        if (isCallersMatter(error)) breaker.undecided();
        else if (failure.code === 'AI_UNUSABLE_ANSWER') breaker.succeeded();
        else breaker.failed();
        log.warn({ err: error, code: failure.code }, 'the AI provider gave no answer');
        throw failure;
      }
      breaker.succeeded();
      return analysisOf(answer, { provider: 'gemini', locale: request.locale, log });
    },
  };
}

/** An attempt that has less time than this is not begun: its answer would be paid for and come too late. */
const SHORTEST_ATTEMPT_MILLIS = 50;
/** A provider that is silent for so long, or for a whole attempt, has failed. */
const FAILED_AFTER_MILLIS = 5_000; // 5 s

async function textFrom(
  model: GenerativeModel,
  asked: AnalysisRequest,
  { retries, maxRetryWaitMillis, totalTimeoutMillis, timeoutMillis, log }: GeminiOptions,
): Promise<string> {
  const request = requestOf(asked);
  const endsAt =
    performance.now() + Math.min(totalTimeoutMillis, asked.timeLimitMillis ?? Number.POSITIVE_INFINITY);
  let waited = 0;
  for (let attempt = 0; ; attempt++) {
    const left = endsAt - performance.now();
    try {
      return await attemptOf(model, request, { millis: left, timeoutMillis }, asked.signal);
    } catch (error) {
      const wait = retryWaitMillis(error, attempt);
      if (
        wait === undefined ||
        attempt >= retries ||
        waited + wait > maxRetryWaitMillis ||
        performance.now() + wait + SHORTEST_ATTEMPT_MILLIS > endsAt
      )
        throw error;
      log.info({ err: error, wait }, 'the AI provider is asked again');
      waited += wait;
      await delay(wait, undefined, { signal: asked.signal }).catch(() => {
        throw new CallerLeftError();
      });
    }
  }
}

/** One request, to the last byte of its answer: the library itself does not watch over the body. */
async function attemptOf(
  model: GenerativeModel,
  request: GenerateContentRequest,
  { millis: left, timeoutMillis }: { millis: number; timeoutMillis: number },
  callerLeft: AbortSignal | undefined,
): Promise<string> {
  if (callerLeft?.aborted) throw new CallerLeftError();
  if (left < SHORTEST_ATTEMPT_MILLIS) throw new OutOfTimeError(false);
  const millis = Math.min(timeoutMillis, left);
  const outOfTime = AbortSignal.timeout(Math.ceil(millis));
  const signal = callerLeft ? AbortSignal.any([outOfTime, callerLeft]) : outOfTime;
  try {
    return textOf((await model.generateContent(request, { signal })).response);
  } catch (error) {
    if (callerLeft?.aborted) throw new CallerLeftError('the caller has left', { cause: error });
    if (outOfTime.aborted)
      throw new OutOfTimeError(millis >= Math.min(timeoutMillis, FAILED_AFTER_MILLIS), { cause: error });
    if (error instanceof SyntaxError)
      throw new UnusableAnswerError('the answer is no JSON', { cause: error });
    throw error;
  }
}
