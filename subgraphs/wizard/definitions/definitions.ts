import type { WizardKind } from './wizard-kind.ts';
import type { WizardDefinition } from './definition.ts';
import { gymSetup } from './gym-setup.ts';
import { memberOnboarding } from './member-onboarding.ts';

/** The newest definition of each kind. */
export type WizardDefinitions = Readonly<Record<WizardKind, WizardDefinition>>;

export const DEFINITIONS: WizardDefinitions = {
  GYM_SETUP: gymSetup,
  MEMBER_ONBOARDING: memberOnboarding,
};
