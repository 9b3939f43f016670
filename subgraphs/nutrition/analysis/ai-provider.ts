import type { Analysis } from './analysis.shapes.ts';

export interface AnalysisRequest {
  /** The id of the user who waits for the answer; it is not sent to the provider. */
  callerId: string;
  prompt: string | undefined;
  locale: string | undefined;
  /** WebP, reduced in size and without metadata. */
  pictures: readonly Buffer[];
  /** How long the caller waits at most; undefined: without limit. */
  timeLimitMillis: number | undefined;
  /** Aborts if the caller leaves. */
  signal: AbortSignal | undefined;
}

/**
 * An external service that estimates the nutrients of a meal from text and pictures. Implementation:
 * `ai-provider.gemini.ts`.
 */
export interface AiProvider {
  /**
   * Estimates a meal. No number is invented: a food without a usable weight or nutrients is listed in `unknown`.
   * @throws AI_UNAVAILABLE (503) if the provider cannot be reached, refuses the request, is overloaded, returns an answer
   * that cannot be read, or is not called for a while after failures; AI_TIMEOUT (504); AI_UNUSABLE_ANSWER (422) if it
   * blocks its answer, or the meal has too many foods for one answer
   */
  analyze(request: AnalysisRequest): Promise<Analysis>;
}
