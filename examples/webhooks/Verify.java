import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
    private static final long TOLERANCE_SECONDS = 300;

    private Verify() {}

    /**
     * Returns whether a webhook was signed with one of your API keys in the last five minutes.
     *
     * <p>In a servlet: {@code request.getInputStream().readAllBytes()},
     * {@code request.getHeader("X-Service-Timestamp")}, {@code request.getHeader("X-Service-Signature")}
     * and {@code Instant.now().getEpochSecond()}. Pass both API keys while you replace one by another.
     */
    public static boolean isGenuine(
            byte[] rawBody, String timestamp, String signature, List<String> apiKeys, long nowSeconds)
            throws GeneralSecurityException {
        if (timestamp == null || !timestamp.matches("[0-9]{1,12}")) return false;
        if (signature == null || !signature.matches("sha256=[0-9a-f]{64}")) return false;
        if (Math.abs(nowSeconds - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
        for (String apiKey : apiKeys) {
            String expected = "sha256=" + sign(timestamp, rawBody, apiKey);
            if (MessageDigest.isEqual(expected.getBytes(US_ASCII), signature.getBytes(US_ASCII))) return true;
        }
        return false;
    }

    private static String sign(String timestamp, byte[] rawBody, String apiKey) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(apiKey.getBytes(UTF_8), "HmacSHA256"));
        mac.update((timestamp + ".").getBytes(US_ASCII));
        StringBuilder hex = new StringBuilder();
        for (byte value : mac.doFinal(rawBody)) hex.append(String.format("%02x", value));
        return hex.toString();
    }
}
