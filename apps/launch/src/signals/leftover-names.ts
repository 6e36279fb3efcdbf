// Names that remote controls leave in a page; each is too odd for a page or an extension to have by chance.

/** The Phantom wallet has the last one too. */
export const PHANTOM_NAMES = ['callPhantom', '_phantom', '__phantomas', 'phantom'];

/** On the window or the document. Selenium IDE's own recorder is not among them: it records a person. */
export const SELENIUM_NAMES = [
  '__selenium_evaluate',
  '__selenium_unwrapped',
  '__webdriver_evaluate',
  '__webdriver_unwrapped',
  '__webdriver_script_fn',
  '__webdriver_script_func',
  '__webdriver_script_function',
  '__webdriverFunc',
  '__driver_evaluate',
  '__driver_unwrapped',
  '__fxdriver_evaluate',
  '__fxdriver_unwrapped',
  '_WEBDRIVER_ELEM_CACHE',
  '$chrome_asyncScriptInfo',
  '__$webdriverAsyncExecutor',
  'callSelenium',
  'calledSelenium',
  '_selenium',
  'webdriverCommand',
  '__lastWatirAlert',
  '__lastWatirConfirm',
  '__lastWatirPrompt',
];

/** `cdc_adoQpoasnfa76pfcZLmcfl_Array` on the window, `$cdc_asdjflasutopfhvcZLmcfl_` on the document. */
export const CHROMEDRIVER_NAME = /^\$?cdc_[A-Za-z0-9]{22}_/;

/** Attributes of the root element that drivers of Firefox set. */
export const SELENIUM_ATTRIBUTES = ['webdriver', 'selenium', 'driver'];

/** Other tools. `phantom` alone may be the wallet, the names before it may not. */
export const AUTOMATION_NAMES = [
  ...PHANTOM_NAMES.filter((name) => name !== 'phantom'),
  '__nightmare',
  'nightmare',
  'domAutomation',
  'domAutomationController',
  '__pwInitScripts',
  '__playwright__binding__',
  '__playwright_evaluation_script__',
  '__puppeteer_evaluation_script__',
  '__cypress',
  'Cypress',
  '__testcafe',
  '%testCafeDriverInstance%',
  'RunPerfTest',
  'awesomium',
  'fmget_targets',
];
