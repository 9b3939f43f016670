import type { ServiceName } from '#server/settings.ts';
import { contentExamples } from './content.ts';
import { gymExamples } from './gym.ts';
import { identityExamples } from './identity.ts';
import { nutritionExamples } from './nutrition.ts';
import { squadExamples } from './squad.ts';
import { wizardExamples } from './wizard.ts';
import type { Recorder } from './recorder.ts';

/** For each service the function that sends a request of each of its operations. */
export const SCENARIOS: Readonly<Record<ServiceName, (recorder: Recorder) => Promise<void>>> = {
  content: contentExamples,
  gym: gymExamples,
  wizard: wizardExamples,
  nutrition: nutritionExamples,
  squad: squadExamples,
  identity: identityExamples, // the last one, because it ends sessions and deletes an account
};
