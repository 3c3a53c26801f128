export { batchLimitAt } from './batch-limit-at.js';
export type { ConfigureCompany } from './commands.js';
export { decide, type CompanyDecision } from './decide.js';
export { defaultSettings } from './defaults.js';
export { evolve } from './evolve.js';
export type { CompanyRejection, SettingProblem } from './rejections.js';
export { minutesOfDay } from './settings-rules.js';
export { initialState, type CompanySettingsState } from './state.js';
