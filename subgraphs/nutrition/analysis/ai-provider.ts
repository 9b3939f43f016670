import type { Analysis } from './analysis.shapes.ts';

export interface AnalysisRequest {
  prompt: string | undefined;
  locale: string | undefined;
  /** WebP, reduced and without metadata. */
  pictures: readonly Buffer[];
  /** How long the caller waits at most; absent: as long as it takes. */
  timeLimitMillis: number | undefined;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal | undefined;
}

/**
 * Estimates what a meal holds from text and pictures. The one interface to whoever does so outside of this service;
 * implementation: `ai-provider.gemini.ts`.
 */
export interface AiProvider {
  /**
   * @throws AI_UNAVAILABLE (503) if it cannot be reached, refuses us, is overloaded, gives an answer that cannot be read,
   * or is not asked after failures; AI_TIMEOUT (504); AI_UNUSABLE_ANSWER (422) if it blocks its answer to this meal.
   * Never an invented number.
   */
  analyze(request: AnalysisRequest): Promise<Analysis>;
}
