using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Verify
{
    private const long ToleranceSeconds = 300;

    /// <summary>Returns whether a webhook was signed with one of your API keys in the last five minutes.</summary>
    /// <remarks>
    /// In ASP.NET Core: copy <c>Request.Body</c> to a MemoryStream for its bytes, and pass
    /// <c>Request.Headers["X-Service-Timestamp"]</c>, <c>Request.Headers["X-Service-Signature"]</c> and
    /// <c>DateTimeOffset.UtcNow.ToUnixTimeSeconds()</c>. Pass both API keys while you replace one by another.
    /// </remarks>
    public static bool IsGenuine(
        byte[] rawBody, string timestamp, string signature, IEnumerable<string> apiKeys, long nowSeconds)
    {
        if (!Regex.IsMatch(timestamp ?? "", @"\A[0-9]{1,12}\z")) return false;
        if (!Regex.IsMatch(signature ?? "", @"\Asha256=[0-9a-f]{64}\z")) return false;
        if (Math.Abs(nowSeconds - long.Parse(timestamp)) > ToleranceSeconds) return false;
        byte[] signed = Encoding.ASCII.GetBytes(timestamp + ".").Concat(rawBody).ToArray();
        byte[] received = Encoding.ASCII.GetBytes(signature);
        foreach (string apiKey in apiKeys)
        {
            using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(apiKey)))
            {
                string hex = BitConverter.ToString(hmac.ComputeHash(signed)).Replace("-", "").ToLowerInvariant();
                if (CryptographicOperations.FixedTimeEquals(Encoding.ASCII.GetBytes("sha256=" + hex), received)) return true;
            }
        }
        return false;
    }
}
