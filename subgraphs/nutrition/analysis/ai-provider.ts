import type { Analysis } from './analysis.shapes.ts';

export interface AnalysisRequest {
  prompt: string | undefined;
  locale: string | undefined;
  /** WebP, reduced and without metadata. */
  pictures: readonly Buffer[];
}

/**
 * Estimates what a meal holds from text and pictures. The one interface to whoever does so outside of this service;
 * implementation: `ai-provider.gemini.ts`.
 */
export interface AiProvider {
  /**
   * @throws AI_UNAVAILABLE (503) where it cannot be reached, refuses us, is overloaded or is left in peace after failures;
   * AI_TIMEOUT (504); AI_UNUSABLE_ANSWER (422) where it answers with nothing usable. Never an invented number.
   */
  analyze(request: AnalysisRequest): Promise<Analysis>;
}
