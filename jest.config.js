/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  // The examples import the package by its name, as its users do.
  moduleNameMapper: { '^sessiongate$': '<rootDir>/lib', '^sessiongate/(\\w+)$': '<rootDir>/lambda/$1' },
  testTimeout: 30000,
  // Jest leaves one core idle; of two that is half.
  maxWorkers: '100%',
};
