// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealWord} from "../interfaces/DealTypes.sol";
import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {IOfferFacet} from "../interfaces/IOfferFacet.sol";
import {IRegistry} from "../interfaces/IRegistry.sol";
import {LibDeals} from "../libraries/LibDeals.sol";
import {LibDiamond} from "../libraries/LibDiamond.sol";
import {LibLock} from "../libraries/LibLock.sol";
import {LibOffers} from "../libraries/LibOffers.sol";
import {LibPay} from "../libraries/LibPay.sol";
import {LibToken} from "../libraries/LibToken.sol";
import {Roles} from "../libraries/Roles.sol";

/// @notice Pays deals that a signer offers by a signature, without a transaction that creates them.
/// @dev Every payment follows one order: check, write, emit, then move the money.
/// @custom:version 1.0.0
contract OfferFacet is IOfferFacet, IFacet {
    using LibDeals for DealWord;

    modifier locked() {
        LibLock.acquire();
        _;
        LibLock.release();
    }

    /// @inheritdoc IOfferFacet
    function payOfferedToken(Deal calldata deal, uint256 validUntil, bytes32 r, bytes32 vs) external locked {
        LibPay.requireToken(deal);
        settle(deal, validUntil, r, vs);
        LibPay.pullToken(deal);
    }

    /// @inheritdoc IOfferFacet
    function payOfferedTokenWithPermit(
        Deal calldata deal,
        uint256 validUntil,
        bytes32 r,
        bytes32 vs,
        uint256 deadline,
        uint8 permitV,
        bytes32 permitR,
        bytes32 permitS
    ) external locked {
        LibPay.requireToken(deal);
        settle(deal, validUntil, r, vs);
        LibToken.tryPermit(deal.token, msg.sender, deal.amount, deadline, permitV, permitR, permitS);
        LibPay.pullToken(deal);
    }

    /// @inheritdoc IOfferFacet
    function payOfferedNative(Deal calldata deal, uint256 validUntil, bytes32 r, bytes32 vs) external payable locked {
        LibPay.requireCoins(deal);
        settle(deal, validUntil, r, vs);
        LibPay.sendCoins(deal);
    }

    /// @inheritdoc IFacet
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](3);
        selectors[0] = IOfferFacet.payOfferedToken.selector;
        selectors[1] = IOfferFacet.payOfferedNative.selector;
        selectors[2] = IOfferFacet.payOfferedTokenWithPermit.selector;
    }

    /// @inheritdoc IFacet
    function facetName() external pure returns (string memory) {
        return "OfferFacet";
    }

    /// @inheritdoc IFacet
    function facetVersion() external pure returns (string memory) {
        return "1.0.0";
    }

    /// @dev Shared by the three ways to pay: a signer offers exactly these terms now, and the word does not object.
    function settle(Deal calldata deal, uint256 validUntil, bytes32 r, bytes32 vs) private {
        (bytes32 terms, bytes32 offer) = LibOffers.hashes(deal, validUntil);
        address signer = LibOffers.recover(offer, r, vs);
        (bool isSigner, bool paused) = IRegistry(LibDiamond.store().registry).roleState(Roles.SIGNER, signer);
        if (paused) revert IDealFacet.Paused();
        // The registry can give a role to the zero address, which any invalid signature recovers to.
        if (!isSigner || signer == address(0)) revert NotSigner(signer);
        if (block.timestamp >= validUntil) revert OfferExpired(deal.dealId, validUntil, block.timestamp);

        DealWord word = LibDeals.read(deal.dealId);
        // The offer stands for the creation. Where the deal was created as well, the word must be open and of these terms.
        if (DealWord.unwrap(word) != 0) {
            if (word.statusOf() != LibDeals.OPEN) {
                revert IDealFacet.DealNotOpen(deal.dealId, DealWord.unwrap(word));
            }
            if (!word.matches(terms)) revert IDealFacet.TermsMismatch(deal.dealId, DealWord.unwrap(word), terms);
        }
        LibPay.markPaid(deal, terms);
    }
}
