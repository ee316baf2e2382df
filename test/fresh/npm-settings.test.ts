import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passedSettings } from './npm-settings.ts';

test('where packages come from is passed on as variables, and the files of authorities with it', () => {
  const settings = {
    registry: 'https://registry.example/',
    '@shop:registry': 'https://shop.example/',
    'https-proxy': 'http://proxy.example:3128',
    noproxy: ['', '.example'],
    'strict-ssl': true,
    cafile: '/etc/ssl/own.pem',
  };
  const env = { HTTPS_PROXY: 'http://proxy.example:3128', NODE_EXTRA_CA_CERTS: '/etc/ssl/extra.pem' };
  assert.deepEqual(passedSettings(settings, env, '/there'), {
    env: {
      npm_config_registry: 'https://registry.example/',
      'npm_config_@shop:registry': 'https://shop.example/',
      npm_config_https_proxy: 'http://proxy.example:3128',
      npm_config_noproxy: '.example',
      npm_config_strict_ssl: 'true',
      HTTPS_PROXY: 'http://proxy.example:3128',
      npm_config_cafile: '/there/npm_config_cafile.pem',
      NODE_EXTRA_CA_CERTS: '/there/NODE_EXTRA_CA_CERTS.pem',
    },
    files: {
      '/there/npm_config_cafile.pem': '/etc/ssl/own.pem',
      '/there/NODE_EXTRA_CA_CERTS.pem': '/etc/ssl/extra.pem',
    },
  });
});

test('what is this machine’s own is not, nor what is not set', () => {
  const settings = {
    cache: '/root/.npm',
    prefix: '/usr',
    nodedir: '/usr',
    userconfig: '/root/.npmrc',
    '//registry.example/:_authToken': 'x',
    proxy: null,
    noproxy: [''],
    cafile: null,
  };
  assert.deepEqual(passedSettings(settings, { HTTP_PROXY: '' }, '/there'), { env: {}, files: {} });
});
