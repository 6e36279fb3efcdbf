# frozen_string_literal: true

require "openssl"

module Limen
  TOLERANCE_SECONDS = 300

  # Returns whether a webhook was signed with one of your API keys in the last five minutes.
  #
  # In Rails: request.raw_post, request.headers["X-Service-Timestamp"] and
  # request.headers["X-Service-Signature"]. Pass both API keys while you replace one by another.
  def self.genuine?(raw_body, timestamp, signature, api_keys, now: Time.now.to_i)
    return false unless timestamp.to_s.b.match?(/\A[0-9]{1,12}\z/)
    return false unless signature.to_s.b.match?(/\Asha256=[0-9a-f]{64}\z/)
    return false if (now - timestamp.to_i).abs > TOLERANCE_SECONDS

    api_keys.any? do |api_key|
      expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", api_key, "#{timestamp}.".b + raw_body.b)
      OpenSSL.fixed_length_secure_compare(expected, signature)
    end
  end
end
