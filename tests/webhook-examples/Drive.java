import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.List;

public final class Drive {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split("\t", -1);
            String timestamp = fields[1].isEmpty() ? null : fields[1];
            String signature = fields[2].isEmpty() ? null : fields[2];
            byte[] body = Base64.getDecoder().decode(fields[4]);
            List<String> keys = List.of(fields[0].split(","));
            System.out.println(Verify.isGenuine(body, timestamp, signature, keys, Long.parseLong(fields[3])));
        }
    }
}
