export { batchLimitAt, type CompanyRejection, type SettingProblem, minutesOfDay } from './settings-rules.js';
export { type ConfigureCompany, decide, defaultSettings } from './decide.js';
export { evolve, initialState, type CompanySettingsState } from './evolve.js';
