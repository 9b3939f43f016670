export const WizardKind = { GYM_SETUP: 'GYM_SETUP', MEMBER_ONBOARDING: 'MEMBER_ONBOARDING' } as const;
export type WizardKind = (typeof WizardKind)[keyof typeof WizardKind];
