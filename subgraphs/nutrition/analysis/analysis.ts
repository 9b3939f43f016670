import { requireUser } from '#server/auth/viewer.ts';
import { invalid, PlatformError } from '#server/errors.ts';
import { reencoded } from '#server/files/images.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { estimateMeal } from '../estimator/estimate.ts';
import type { AiProvider } from './ai-provider.ts';
import { AnalyzeShape, type Analysis } from './analysis.shapes.ts';

export const MAX_PICTURES = 4;
const LONGEST_SIDE = 1_024; // pixels; larger pictures do not improve the estimate

/** Estimates of meals from words or pictures. An estimate is not stored: the user logs it after they have confirmed it. */
export class Analyses {
  private readonly unit: UnitOfWork;
  private readonly provider: AiProvider | undefined;

  constructor(unit: UnitOfWork, provider: AiProvider | undefined) {
    this.unit = unit;
    this.provider = provider;
  }

  /**
   * Estimates a meal with the AI provider if one is configured, else with the food table.
   * @throws AI_NOT_CONFIGURED for a picture if there is no provider; the errors of `AiProvider.analyze`
   */
  async analyze(input: unknown, pictures: readonly Buffer[] = []): Promise<Analysis> {
    const { userId } = requireUser(this.unit.viewer);
    const { prompt, locale } = validated(AnalyzeShape, input ?? {});
    if (!prompt && pictures.length === 0)
      throw invalid('prompt', 'expected a description of the meal, or a picture of it');
    if (pictures.length > MAX_PICTURES)
      throw invalid('image', `expected at most ${MAX_PICTURES} pictures, got ${pictures.length}`);
    // Pictures are read before the check for a provider, so that a file that is not a picture gets the same error with and
    // without a provider.
    const reduced: Buffer[] = [];
    for (const picture of pictures)
      reduced.push((await reencoded(picture, { field: 'image', maxSide: LONGEST_SIDE })).bytes);
    if (this.provider)
      return this.provider.analyze({
        callerId: userId,
        prompt: prompt || undefined,
        locale,
        pictures: reduced,
        timeLimitMillis: this.unit.origin.timeLeft?.(),
        signal: this.unit.origin.clientLeft?.(),
      });
    if (pictures.length > 0)
      throw new PlatformError(
        'AI_NOT_CONFIGURED',
        'Pictures need an AI provider, and none is configured (GEMINI_API_KEY); describe the meal in words instead.',
      );
    return estimateMeal(prompt ?? '', locale);
  }
}
