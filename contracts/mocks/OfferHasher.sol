// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../interfaces/DealTypes.sol";
import {LibOffers} from "../libraries/LibOffers.sol";

/// @notice Shows the digest of an offer as a diamond at this contract's address would compute it, and who signed a digest.
contract OfferHasher {
    function offerHash(Deal calldata deal, uint256 validUntil) external view returns (bytes32 offer) {
        (, offer) = LibOffers.hashes(deal, validUntil);
    }

    function recover(bytes32 digest, bytes32 r, bytes32 vs) external pure returns (address) {
        return LibOffers.recover(digest, r, vs);
    }
}
